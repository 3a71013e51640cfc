import { describe, expect, test } from 'vitest';
import { brandSection } from '../../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../../gateway/explore/pages/sections/glance.ts';
import { brandInWeek } from '../../../../lib/methodology/week.ts';
import { engineName, weekInWords } from '../../../../lib/weeks/words.ts';
import { firstWords, silentWeeks, weekWithout, wronglyCalm } from '../../../lib/weeks/silent-weeks.ts';
import { engines } from '../../../snapshots/weeks.ts';

/** What people read, without markup. */
const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe.each(silentWeeks)('if %s', (_, shown, silent) => {
  const inWords = weekInWords('Acme', shown.visibility, shown.competitors, shown.asOf);
  const snapshot = { id: 'a', asOf: shown.asOf, methodologyVersion: '1.0' };
  const page = textOf(brandSection(shown, snapshot, null, []).text);
  const calm = { ...weekWithout([]), brand: { ...shown.brand, name: 'Calm' } };
  calm.visibility = { ...calm.visibility, brand: calm.brand, moved: [] };
  const glanceOf = (...weeks: (typeof shown)[]) =>
    textOf(
      glance({
        week: { asOf: shown.asOf, brands: weeks.map((week) => brandInWeek(week)) },
        before: null,
        addressOf: (id) => `#${id}`,
      }).text,
    );
  const isEvery = silent.length === engines.length;

  test('the first sentence says so, in words and on the page', () => {
    expect(inWords[0]).toMatch(firstWords);
    expect(page).toContain(inWords[0]!);
  });

  test('nothing says that it is within its usual range, or as usual', () => {
    expect(wronglyCalm(inWords, silent)).toEqual([]);
    const all = glanceOf(shown);
    expect(
      /Everything else is within|Every engine is within|as usual/.test(`${inWords.join(' ')} ${page} ${all}`),
    ).toBe(!isEvery);
    for (const slug of silent)
      expect(page).not.toMatch(new RegExp(`${engineName(slug)} \\d[^–○]{0,80}as usual`));
  });

  test('the glance names it, and every brand with a silent engine stands before calm ones', () => {
    const both = glanceOf(calm, shown);
    for (const slug of silent)
      expect(both).toMatch(
        new RegExp(`silent [^:]*${engineName(slug)}[^:]*: (?:no answer since|never answered)`),
      );
    expect(both.lastIndexOf('Acme')).toBeLessThan(both.lastIndexOf('Calm'));
  });

  test('prompts are won only on engines that answered in this week', () => {
    const isOlder = isEvery && shown.visibility.perEngine.length > 0;
    expect(page.includes('nothing was won or lost this week')).toBe(isOlder);
    expect(page.includes(`${engines.length - silent.length} won`)).toBe(!isEvery);
  });
});
