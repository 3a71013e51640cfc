import { expect, test } from 'vitest';
import { brandSection } from '../../../../gateway/explore/pages/sections/brand.ts';
import { competitorsSection } from '../../../../gateway/explore/pages/sections/competitors.ts';
import { glance } from '../../../../gateway/explore/pages/sections/glance.ts';
import { namedSince } from '../../../../gateway/explore/pages/sections/prompt-details.ts';
import { promptsSection } from '../../../../gateway/explore/pages/sections/prompts.ts';
import { visibilitySection } from '../../../../gateway/explore/pages/sections/visibility.ts';
import { csvOf, sheetOf } from '../../../../gateway/explore/pages/sheets.ts';
import { engineHistories, weekName } from '../../../../gateway/explore/pages/week.ts';
import type { BrandWeek } from '../../../../gateway/explore/pages/week.ts';
import { brandInWeek } from '../../../../lib/methodology/week.ts';
import { weekWithout } from '../../../lib/weeks/silent-weeks.ts';
import { weekOf } from '../../../snapshots/weeks.ts';

const week = weekWithout([]);
const snapshot = { id: 'a', asOf: week.asOf, methodologyVersion: '1.0' };
const copy = () => structuredClone(week);
const brandText = (shown: BrandWeek) => brandSection(shown, snapshot, null, []).text;
const plain = (text: string) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('the visibility names the models, the answers and the counts without branded prompts', () => {
  const shown = copy();
  const [mode, overviews] = shown.visibility.perEngine;
  Object.assign(mode!, { models: ['m-1', 'm-2'], unbranded: { promptsAnswered: 18, promptsNamed: 8 } });
  Object.assign(overviews!, { answers: 60, unbranded: { promptsAnswered: 20, promptsNamed: 10 } });
  const { text } = visibilitySection(shown, []);
  expect(text).toMatch(/one is called moved by chance in 5 % of weeks/);
  expect(text).toContain('Models: Google AI Mode m-1, m-2');
  expect(text).toContain('10 of 20, 60 answers<');
  expect(text).toContain('do not contain “<bdi>Acme</bdi>”: Google AI Mode 8 of 18');
});

test('a chart has the band of every week that published one, and ends at the week on screen', () => {
  const [engine] = week.visibility.perEngine;
  const [early, latest] = [week.timeline.engines[0]!.dates[2]!, engine!.date];
  const band = {
    slug: engine!.slug,
    date: early,
    bandLow: 1,
    bandHigh: 99,
    isSignificant: true,
    modelsChanged: false,
  };
  const { points } = engineHistories(week, [band])[0]!;
  expect(points.filter(({ bandLow }) => bandLow !== null).map(({ date }) => date)).toEqual([early, latest]);
  expect(points.find(({ date }) => date === early)).toMatchObject(band.isSignificant ? { bandHigh: 99 } : {});
  expect(points.at(-1)!.score).toBe(engine!.score);
  const silent = weekWithout([engine!.slug]);
  const [chart] = visibilitySection(silent, []).parts.values();
  expect(chart).toMatchObject({ kind: 'scores', until: silent.asOf.slice(0, 10) });
});

test('the share of voice quotes the noise floor only if ties are judged by the intervals', () => {
  const { competitors } = week;
  const floor = `Shares closer than ${competitors.noiseFloorPp} percentage points have no order.`;
  expect(
    competitorsSection({ ...week, competitors: { ...competitors, leadersByPrompt: null } }).text,
  ).toContain(floor);
  const byPrompt = competitorsSection({
    ...week,
    competitors: { ...competitors, leadersByPrompt: ['Acme'] },
  }).text;
  expect(byPrompt).toContain('Ties are judged prompt by prompt.');
  expect(byPrompt).not.toContain('have no order');
});

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

const entity = (name: string, cycles: number, of: number) => ({
  entity: name,
  stability: Math.round((cycles / of) * 10_000) / 10_000,
});

test('who was named in a week is told from two documents, however they spell a name', () => {
  const engine = (cyclesObserved: number, core: ReturnType<typeof entity>[]) => ({
    slug: 'chatgpt' as const,
    cyclesObserved,
    isWarmingUp: false,
    brandPlacement: 'absent' as const,
    brandStability: 0,
    core,
    carousel: [],
  });
  const before = engine(6, [entity('Acme', 6, 6), entity('Rival', 2, 6), entity('Other', 1, 6)]);
  const now = engine(7, [
    entity('Acme', 6, 7),
    entity('RIVAL', 3, 7),
    entity('Other', 1, 7),
    entity('New', 1, 7),
  ]);
  expect(namedSince(now, before)).toEqual(['RIVAL', 'New']);
  expect(namedSince(now, now)).toBeNull();
  expect(namedSince(now, undefined)).toBeNull();
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

test('a name stands in an element of its own, so that one written from right to left changes no order', () => {
  const name = 'שלום';
  const shown = JSON.parse(JSON.stringify(week).replaceAll('Acme', name)) as BrandWeek;
  const all = { asOf: week.asOf, brands: [brandInWeek(shown)] };
  const text = [brandText(shown), glance({ week: all, before: null, addressOf: (id) => `#${id}` }).text].join(
    '',
  );
  const sentences = text.replaceAll(/aria-label="[^"]*"/g, '').replaceAll(/data-by="[^"]*"/g, '');
  expect(sentences.split(name).length).toBeGreaterThan(5);
  expect(sentences.replaceAll(`<bdi>${name}</bdi>`, '')).not.toContain(name);
  expect(text).not.toMatch(/[\u2068\u2069]/);
});

test('a sentiment that nobody classified has no number, and a brand without answers is not said to have had no runs', () => {
  const shown = copy();
  Object.assign(shown.visibility.signals, {
    mentions: 28,
    positive: 0,
    neutral: 0,
    negative: 0,
    netSentiment: 0,
  });
  expect(brandText(shown)).toContain('answers: sentiment not classified, mean position');
  expect(brandText(shown)).not.toContain('net sentiment');
  shown.visibility.perEngine = [];
  expect(brandText(shown)).toContain('No answers yet.');
  expect(brandText(shown)).not.toMatch(/has run/i);
});

test('a table is copied with exact values, one in a cell, and no text of it runs as a formula', () => {
  const [head, first] = csvOf(sheetOf('visibility', week))
    .split('\r\n')
    .map((line) => line.split(','));
  const row = Object.fromEntries(head!.map((name, at) => [name, first![at]]));
  const [engine] = week.visibility.perEngine;
  expect(row).toMatchObject({
    engine: engine!.slug,
    score: String(engine!.score),
    band_low: String(engine!.bandLow),
  });
  const sheet = {
    kind: 'sheet',
    name: 'x',
    columns: ['a', 'b'],
    rows: [
      ['=1+1', -2.5],
      ['say "a, b"', null],
    ],
  } as const;
  expect(csvOf(sheet)).toBe(`a,b\r\n'=1+1,-2.5\r\n"say ""a, b""",\r\n`);
});

test('a week has one name, with its year if that is another one', () => {
  expect(weekName('2026-11-26T06:00:00.000Z', '2026-11-26T06:00:00.000Z')).toBe('week of 23 November');
  expect(weekName('2025-11-26T06:00:00.000Z', '2026-11-26T06:00:00.000Z')).toBe('week of 24 November 2025');
});
