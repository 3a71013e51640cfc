import { describe, expect, test } from 'vitest';
import { brandSection } from '../../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../../gateway/explore/pages/sections/glance.ts';
import { engineHistories } from '../../../../gateway/explore/pages/week.ts';
import { engineName, weekInWords } from '../../../../lib/weeks/words.ts';
import { firstWords, silentWeeks, weekWithout, wronglyCalm } from '../../../lib/weeks/silent-weeks.ts';
import { engines } from '../../../snapshots/weeks.ts';

/** What people read, without markup. */
const textOf = (html: string) => html.replaceAll(/<svg[^]*?<\/svg>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe.each(silentWeeks)('if %s', (_, shown, silent) => {
  const inWords = weekInWords('Acme', shown.visibility, shown.competitors, shown.asOf);
  const page = textOf(brandSection(shown, engineHistories([shown.visibility]), null).text);
  const all = textOf(glance([shown]).text);
  const isEvery = silent.length === engines.length;

  test('the first sentence says so, in words and on the page', () => {
    expect(inWords[0]).toMatch(firstWords);
    expect(page).toContain(inWords[0]!);
  });

  test('nothing says that it is within its usual range, or as usual', () => {
    expect(wronglyCalm(inWords, silent)).toEqual([]);
    const read = `${inWords.join(' ')} ${page} ${all}`;
    expect(/usual range|as usual/.test(read)).toBe(!isEvery);
    for (const slug of silent)
      expect(page).not.toMatch(new RegExp(`${engineName(slug)} \\d{4}-[^–]{0,80}as usual`));
  });

  test('the glance names it, and every brand with a silent engine stands before calm ones', () => {
    for (const slug of silent)
      expect(all).toMatch(new RegExp(`${engineName(slug)}: (?:no answer since|never answered)`));
    const calm = { ...weekWithout([]), brand: { ...shown.brand, name: 'Calm' } };
    calm.visibility = { ...calm.visibility, moved: [] };
    const both = glance([calm, shown]).text;
    expect(both.indexOf('Acme')).toBeLessThan(both.indexOf('Calm'));
  });

  test('prompts are counted as won only on engines that answered in this week', () => {
    const cells = glance([shown]).text.match(/<td class="number">[^<]*<\/td>|<td[^>]*>–<\/td>/g) ?? [];
    expect(cells.slice(-2).join('')).toContain(isEvery ? '–' : `>${engines.length - silent.length}<`);
    const isOlder = isEvery && shown.visibility.perEngine.length > 0;
    expect(page.includes('nothing was won or lost this week')).toBe(isOlder);
  });
});
