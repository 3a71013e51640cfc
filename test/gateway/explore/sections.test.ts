import { expect, test } from 'vitest';
import { brandSection } from '../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../gateway/explore/pages/sections/glance.ts';
import { promptsSection } from '../../../gateway/explore/pages/sections/prompts.ts';
import { csvOf } from '../../../gateway/explore/pages/sheets.ts';
import type { BrandWeek } from '../../../gateway/explore/pages/week.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import { engineName, weekInWords } from '../../../lib/weeks/words.ts';
import type { Results } from '../../../lib/documents/results.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { dateOf, engines, weekOf } from '../../snapshots/weeks.ts';

const steady = { named: [10, 10, 10], mentions: [50, 40, 30] };
const lastCycle = 8;
const newest = weekOf([
  ...Array.from({ length: lastCycle }, () => steady),
  { ...steady, named: [0, 10, 10] },
]);
const earlier = weekOf(Array.from({ length: lastCycle - 1 }, () => steady)).documents.visibility;

/** Every engine with a score won its prompt. */
function resultsOf({ brand, perEngine }: Visibility): Results {
  const won = {
    isNamed: true,
    position: 1,
    previousDate: dateOf(0),
    wasNamed: false,
    previousPosition: null,
  };
  const cells = perEngine.map(({ slug, date }) => ({
    ...won,
    slug,
    date,
    change: 'won' as const,
    evidence: [],
  }));
  const prompts = [{ promptId: brand.id, promptText: 'Which?', engines: cells }];
  return { brand, prompts: cells.length === 0 ? [] : prompts };
}

/** A week, of whose engines these gave no answer in it; their scores are of two weeks before. */
function weekWithout(silent: readonly string[]): BrandWeek {
  const { visibility: shown, competitors, sources, stability, prompts } = newest.documents;
  const { brand } = shown;
  const answered = ({ slug }: { slug: string }) => !silent.includes(slug);
  const lastAnswered = dateOf(lastCycle - 2);
  const visibility: Visibility = {
    ...shown,
    perEngine: shown.perEngine.map((engine) =>
      answered(engine) ? engine : earlier.perEngine.find(({ slug }) => slug === engine.slug)!,
    ),
    alerts: shown.alerts.filter(answered),
    moved: shown.moved.filter((slug) => answered({ slug })),
    silent: engines.filter((slug) => !answered({ slug })).map((slug) => ({ slug, lastAnswered, runs: 20 })),
  };
  const timeline = { brand, engines: [], names: [] };
  const results = resultsOf(visibility);
  const { asOf } = newest;
  return { brand, asOf, visibility, competitors, results, stability, sources, prompts, timeline };
}

const week = weekWithout([]);
const snapshot = { id: 'a', asOf: week.asOf, methodologyVersion: '1.0' };
const copy = () => structuredClone(week);
const brandText = (shown: BrandWeek) => brandSection(shown, snapshot, null, []).text;
const plain = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('won and lost count the cells of this week, and older results apart', () => {
  const shown = copy();
  const [won, second, third] = shown.results.prompts[0]!.engines;
  Object.assign(second!, {
    isNamed: false,
    position: null,
    wasNamed: true,
    previousPosition: 1,
    change: 'lost',
  });
  Object.assign(third!, { date: '2020-01-06' });
  const { text } = promptsSection(shown);
  expect(plain(text)).toContain('named in 1 of 2 results, one for each prompt and engine: 1 won , 1 lost');
  expect(text).toContain('Not counted: 1 older,');
  expect(plain(text)).toMatch(new RegExp(`In the cycle of ${won!.date} .* 1 ▲ .* – ▼ .* \\(1\\) `));
});

/** The glance of one brand whose first engine scored 75 %, then 0 %. */
function glanceText(change: object, moved: 'ai_mode'[] = []): string {
  const [before, after] = [[15], [15, 0]].map((history) => {
    const { asOf, documents } = structuredClone(
      weekOf(history.map((first) => ({ named: [first, 10, 10], mentions: [50, 40, 30] }))),
    );
    Object.assign(documents.visibility.perEngine[0]!, history.length === 2 ? change : {});
    for (const engine of documents.visibility.perEngine) engine.isWarmingUp = false;
    if (history.length === 2) documents.visibility.moved = moved;
    return { asOf, brands: [brandInWeek(documents)] };
  });
  const shown = glance({
    week: after!,
    before: { week: before!, name: 'week of 1 June' },
    addressOf: (id) => `#${id}`,
  });
  return plain(shown.text);
}

test('the glance says from what an engine moved, or that no brand did, and the numbers of the other week', () => {
  const moved = glanceText({ isSignificant: true }, ['ai_mode']);
  expect(moved).toContain('1 moved more than chance usually causes: Acme');
  expect(moved).toContain('◆ moved Google AI Mode 75 → 0 %, named in 0 of 20 prompts');
  expect(moved).toMatch(/was 58\.3/);
  expect(moved).toContain('compared with the week of 1 June');
  const calm = glanceText({ isSignificant: false });
  expect(calm).toContain('No brand moved beyond its usual range.');
  expect(calm).toContain('as usual');
  expect(glanceText({ isSignificant: true })).toContain('◇ possibly chance Google AI Mode 75 → 0');
  expect(glanceText({ isLasting: true, fourWeeks: null })).toContain('No brand moved');
});

test('a sentiment that nobody classified has no number', () => {
  const shown = copy();
  Object.assign(shown.visibility.signals, { mentions: 28, positive: 0, neutral: 0, negative: 0 });
  expect(brandText(shown)).toContain('answers: sentiment not classified, mean position');
  expect(brandText(shown)).not.toContain('net sentiment');
});

test('no text of a copied table runs as a formula', () => {
  const columns = ['a', 'b'];
  const rows = [
    ['=1+1', -2.5],
    ['say "a, b"', null],
  ];
  expect(csvOf({ kind: 'sheet', name: 'x', columns, rows })).toBe(`a,b\r\n'=1+1,-2.5\r\n"say ""a, b""",\r\n`);
});

test.each([
  ['the engine that moved and another one are silent', [engines[0]!, engines[2]!]],
  ['every engine is silent', engines],
])('if %s, the page says so first, and calls nothing silent usual or won', (_, silent) => {
  const shown = weekWithout(silent);
  const [sentence] = weekInWords('Acme', shown.visibility, shown.competitors, shown.asOf);
  const page = plain(brandText(shown));
  expect(page).toContain(sentence!);
  const calm = { ...week, brand: { ...week.brand, name: 'Calm' } };
  calm.visibility = { ...calm.visibility, brand: calm.brand, moved: [] };
  const brands = [calm, shown].map((each) => brandInWeek(each));
  const all = plain(glance({ week: { asOf: shown.asOf, brands }, before: null, addressOf: String }).text);
  for (const slug of silent) {
    expect(page).not.toMatch(new RegExp(`${engineName(slug)} \\d[^–○]{0,80}as usual`));
    expect(all).toMatch(new RegExp(`silent [^:]*${engineName(slug)}[^:]*: no answer since`));
  }
  expect(all.lastIndexOf('Acme')).toBeLessThan(all.lastIndexOf('Calm'));
  expect(page.includes(`${engines.length - silent.length} won`)).toBe(silent.length < engines.length);
});
