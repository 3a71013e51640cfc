import { describe, expect, test } from 'vitest';
import { brandSection } from '../../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../../gateway/explore/pages/sections/glance.ts';
import { engineHistories } from '../../../../gateway/explore/pages/week.ts';
import type { BrandWeek } from '../../../../gateway/explore/pages/week.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import type { Visibility } from '../../../../lib/documents/visibility.ts';
import { engineName, weekInWords } from '../../../../lib/weeks/words.ts';
import { dateOf, engines, weekOf } from '../../../snapshots/weeks.ts';

const steady = { named: [10, 10, 10], mentions: [50, 40, 30] };
const fallen = { ...steady, named: [0, 10, 10] };
const lastCycle = 8;
const week = weekOf([...Array.from({ length: lastCycle }, () => steady), fallen]);
const before = weekOf(Array.from({ length: lastCycle - 1 }, () => steady));

/** The week on screen, of whose engines these gave no answer in it; their scores are of two weeks before. */
function weekWithout(
  silent: readonly string[],
  lastAnswered: string | null = dateOf(lastCycle - 2),
): BrandWeek {
  const { brand, perEngine, trend, moved, ...rest } = week.documents.visibility;
  const old = before.documents.visibility;
  const isSilent = ({ slug }: { slug: string }) => silent.includes(slug);
  const visibility: Visibility = {
    ...rest,
    brand,
    perEngine: perEngine
      .filter((engine) => lastAnswered !== null || !isSilent(engine))
      .map((engine) => (isSilent(engine) ? old.perEngine.find(({ slug }) => slug === engine.slug)! : engine)),
    trend: Object.fromEntries(
      Object.entries(trend).flatMap(([slug, points]) => {
        if (!isSilent({ slug })) return [[slug, points]];
        return lastAnswered === null ? [] : [[slug, old.trend[slug as keyof typeof trend]!]];
      }),
    ),
    moved: moved.filter((slug) => !isSilent({ slug })),
    silent: engines.filter((slug) => isSilent({ slug })).map((slug) => ({ slug, lastAnswered, runs: 20 })),
  };
  const results: Results = {
    brand,
    prompts: [
      {
        promptId: brand.id,
        promptText: 'Which?',
        engines: visibility.perEngine.map(({ slug, date }) => ({
          slug,
          date,
          isNamed: true,
          position: 1,
          previousDate: dateOf(0),
          wasNamed: false,
          previousPosition: null,
          change: 'won',
          evidence: [],
        })),
      },
    ],
  };
  const { competitors, sources, stability } = week.documents;
  return {
    brand: { ...brand, createdAt: '2026-01-05T00:00:00.000Z' },
    asOf: week.asOf,
    visibility,
    competitors,
    results,
    stability,
    sources,
    prompts: null,
  };
}

const [first, second, third] = engines as [string, string, string];
const weeks: [string, BrandWeek, readonly string[]][] = [
  ['one engine is silent', weekWithout([second]), [second]],
  ['the engine that moved is silent', weekWithout([first]), [first]],
  ['two engines are silent', weekWithout([first, third]), [first, third]],
  ['every engine is silent', weekWithout(engines), engines],
  ['one engine never answered', weekWithout([second], null), [second]],
  ['no engine ever answered', weekWithout(engines, null), engines],
];

/** What people read, without markup. */
const textOf = (html: string) => html.replaceAll(/<svg[^]*?<\/svg>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe.each(weeks)('if %s', (_, shown, silent) => {
  const inWords = weekInWords('Acme', shown.visibility, shown.competitors, shown.asOf);
  const page = textOf(brandSection(shown, engineHistories([shown.visibility]), null).text);
  const all = textOf(glance([shown]).text);
  const isEvery = silent.length === engines.length;

  test('the first sentence says so, in words and on the page', () => {
    expect(inWords[0]).toMatch(
      /has not answered since|have not answered since|has never answered|No engine has/,
    );
    expect(page).toContain(inWords[0]!);
  });

  test('nothing says that it is within its usual range, or as usual', () => {
    const calm = inWords.filter((sentence) => sentence.includes('usual range'));
    const wrong = calm.filter(
      (sentence) =>
        sentence.startsWith('Every engine') || silent.some((slug) => sentence.includes(engineName(slug))),
    );
    expect(wrong).toEqual([]);
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
