import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brandSection } from '../../../gateway/explore/pages/sections/brand.ts';
import type { Compared } from '../../../gateway/explore/pages/sections/brand.ts';
import { competitorsSection } from '../../../gateway/explore/pages/sections/competitors.ts';
import { everyBrand, everyTables } from '../../../gateway/explore/pages/sections/every-brand.ts';
import type { EveryTables, Row } from '../../../gateway/explore/pages/sections/every-brand.ts';
import { glance } from '../../../gateway/explore/pages/sections/glance.ts';
import { namedInstead, promptDetails } from '../../../gateway/explore/pages/sections/prompt-details.ts';
import type { Html } from '../../../gateway/explore/pages/markup.ts';
import { csvOf, sheetOf } from '../../../gateway/explore/pages/sheets.ts';
import type { BrandWeek } from '../../../gateway/explore/pages/week.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import type { Stability } from '../../../lib/documents/stability.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { asOfCase, expectedText } from '../../golden/cases.ts';
import { dateOf, weekOf } from '../../snapshots/weeks.ts';
import { linesOf } from './lines.ts';

type Brand = Omit<Documents, 'brands' | 'week'>;

/** The brands of the first workspace of a golden case, with the documents that are expected of them. */
function brandsOf(name: string): BrandWeek[] {
  const [workspace] = Object.values(
    JSON.parse(expectedText(name)) as Record<string, Record<string, unknown>>,
  );
  const {
    brands,
    week: _,
    ...documents
  } = workspace as unknown as Pick<Documents, 'brands' | 'week'> & Record<string, Brand>;
  return brands.map((brand) => ({ brand, asOf: asOfCase(name), ...documents[brand.id]! }));
}

const snapshotOf = (asOf: string, methodologyVersion = '1.0') => ({ id: asOf, asOf, methodologyVersion });

type Steadiness = Stability['prompts'][number]['engines'][number];

const withEach = (
  { prompts, ...rest }: Stability,
  change: (engine: Steadiness) => Steadiness,
): Stability => ({
  ...rest,
  prompts: prompts.map((prompt) => ({ ...prompt, engines: prompt.engines.map(change) })),
});

/** A week before, in which each engine had one cycle and one of the steady names less. */
const earlier = (stability: Stability) =>
  withEach(stability, ({ cyclesObserved, core, ...engine }) => ({
    ...engine,
    cyclesObserved: cyclesObserved - 1,
    core: core.slice(1),
  }));

function comparedWith(documents: BrandWeek): Compared {
  return { documents, name: 'week before', snapshot: snapshotOf(documents.asOf, '0.9') };
}

/** Every name is in as many answers as the brand. */
function timelineOf({
  visibility: { brand, trend },
  competitors,
}: Pick<Brand, 'visibility' | 'competitors'>): BrandWeek['timeline'] {
  const engines = Object.entries(trend).map(([slug, points]) => ({
    slug: slug as keyof typeof trend,
    dates: points.map(({ date }) => date),
    promptsAnswered: points.map(({ promptsAnswered }) => promptsAnswered),
    answers: points.map(({ answers }) => answers),
    promptsNamed: points.map(({ promptsNamed }) => promptsNamed),
  }));
  const names = competitors.shareOfVoice.map(({ name, isBrand }) => ({ name, isBrand, engines }));
  return { brand, engines, names };
}

/** All that the page has of a brand. */
function partsOf(week: BrandWeek, before: Compared | null): Html[] {
  const lastWeek = earlier(week.stability);
  const known = [week.stability, lastWeek, earlier(lastWeek)];
  const inFirstWeek = [withEach(week.stability, (engine) => ({ ...engine, cyclesObserved: 1 })), null, null];
  const pasts = [known, inFirstWeek, [week.stability, null, null]];
  return [
    brandSection(week, snapshotOf(week.asOf), before, []),
    ...week.results.prompts
      .slice(0, 3)
      .map((prompt, at) => promptDetails(prompt, week.brand.name, pasts[at]!)),
    ...[known, inFirstWeek].map((past) => namedInstead(week, past)),
  ];
}

const weekOfAll = (brands: readonly BrandWeek[]) => ({
  asOf: brands[0]!.asOf,
  brands: brands.map((each) => brandInWeek(each)),
});

/** Every brand in full, from the tables of these brands. */
function everyOf(brands: readonly BrandWeek[]): Html {
  const rowsOf = (name: (typeof everyTables)[number]) =>
    brands.flatMap((brand): Row[] => {
      const { columns, rows } = sheetOf(name, brand);
      return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]!])));
    });
  const tables = Object.fromEntries(
    everyTables.map((name) => [name, rowsOf(name)]),
  ) as unknown as EveryTables;
  return everyBrand(weekOfAll(brands), tables);
}

/** Compares with a golden file, which has the ids and the data of parts in the order of the page. */
async function expectShown(parts: readonly Html[], name: string): Promise<void> {
  const data = parts.flatMap((part) => [...part.parts].map(([id, each]) => `${id} ${JSON.stringify(each)}`));
  const page = `${[...parts.map(({ text }) => linesOf(text)), ...data].join('\n')}\n`;
  const ids = [...new Set(page.match(/\bpart-\d+/g))];
  const numbered = page.replaceAll(/\bpart-\d+/g, (id) => `part-${ids.indexOf(id) + 1}`);
  await expect(numbered).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.html`));
}

const addressOf = (id: string) => `#${id}`;

test.each(['rich', 'edges', 'questions', 'quiet'])(
  'the page of the golden case %s is golden/',
  async (name) => {
    const brands = brandsOf(name);
    const all = glance({ week: weekOfAll(brands), before: null, addressOf });
    const each = brands.slice(0, 2).flatMap((brand) => partsOf(brand, null));
    await expectShown([all, ...each, everyOf(brands)], name);
  },
);

test('the page of a week and the one before it is golden/compared.html', async () => {
  const history = Array.from({ length: 8 }, () => ({ named: [10, 12, 10], mentions: [50, 50, 50, 50] }));
  const fallen = { named: [10, 0, 11], mentions: [200, 50, 50, 51] };
  const [before, week] = [history, [...history, fallen]].map((each) => {
    const { asOf, documents } = weekOf(each);
    return { asOf, brand: documents.visibility.brand, ...documents, timeline: timelineOf(documents) };
  });
  const [facts, was] = [week!, before!].map((each) => brandInWeek(each));
  /** With all engines in the week before, with two that had another score in this cycle, and without any. */
  const corrected = facts!.engines.slice(0, 2).map((engine) => ({ ...engine, score: 1 }));
  const earlierFacts = [was!.engines, corrected, []].map((engines) => ({
    ...was!,
    brand: { ...was!.brand, id: `${engines.length}` },
    engines,
    shareOfVoice: { ...was!.shareOfVoice, totalMentions: engines.length },
  }));
  const brands = earlierFacts.map(({ brand }) => ({ ...facts!, brand }));
  const all = glance({
    week: { asOf: week!.asOf, brands },
    before: { week: { asOf: before!.asOf, brands: earlierFacts }, name: 'week before' },
    addressOf,
  });
  await expectShown([all, ...partsOf(week!, comparedWith(before!))], 'compared');
});

test('the page of a week in which no engine answered is golden/silent.html', async () => {
  const [before, calm] = brandsOf('rich') as [BrandWeek, BrandWeek];
  const { perEngine, signals } = before.visibility;
  const silent = perEngine.map(({ slug, date }) => ({ slug, lastAnswered: date, runs: 20 }));
  const unclassified = { ...signals, positive: 0, neutral: 0, negative: 0 };
  const events = [
    { date: '2026-11-30', slug: 'chatgpt', text: 'Of one engine', url: 'https://a.example/' },
    { date: '2026-12-01', slug: null, text: 'Of all, with an address that is no page', url: 'file:///a' },
  ] as const;
  const visibility = {
    ...before.visibility,
    events: [...events],
    moved: [],
    alerts: [],
    silent,
    signals: unclassified,
  };
  const [first, ...more] = before.competitors.perEngine;
  const brand = { ...before.competitors.brand, name: 'שלום' };
  const competitors = { ...before.competitors, brand, perEngine: [{ ...first!, totalMentions: 0 }, ...more] };
  const week = { ...before, visibility, competitors, asOf: '2026-12-07T06:00:00Z' };
  const earlierWeek = { week: weekOfAll([before, calm]), name: 'week before' };
  const { brands, asOf } = weekOfAll([week, calm]);
  const [facts] = brands;
  const { shareOfVoice } = facts!;
  const others = [
    { names: 1 },
    { totalMentions: 1, names: 2, leadersByPrompt: ['A'] },
    { rank: 2, leadersByPrompt: ['A', 'B'] },
    { rank: 3 },
  ].map((share) => ({ ...facts!, shareOfVoice: { ...shareOfVoice, ...share } }));
  const all = glance({ week: { asOf, brands: [...others, ...brands] }, before: earlierWeek, addressOf });
  const oneEngine = { ...before.visibility, perEngine: perEngine.slice(0, 1), overallVisibility: 50 };
  const compared = comparedWith({ ...before, visibility: oneEngine });
  await expectShown([all, ...partsOf(week, compared), everyOf([week])], 'silent');
});

test('charts show a year of the brand and five rivals, and the shares of 25 names and the brand', () => {
  const mentions = [1, ...Array<number>(29).fill(5)];
  const weeks = Array.from({ length: 54 }, () => ({ named: [9, 9, 9], mentions }));
  const { asOf, documents } = weekOf(weeks);
  const { brand, trend } = documents.visibility;
  const chatgpt = weeks.map((_, cycle) => ({ ...trend.chatgpt![0]!, date: dateOf(cycle) }));
  const timeline = timelineOf({ ...documents, visibility: { ...documents.visibility, trend: { chatgpt } } });
  const { parts } = competitorsSection({ asOf, brand, ...documents, timeline });
  const shown = JSON.stringify([...parts.values()]);
  const counts = ['"date":', '"low":', '"isBrand":true'].map((text) => shown.split(text).length - 1);
  expect(counts).toEqual([6 * 53, 26, 2]);
});

test('no text of a copied table runs as a formula', () => {
  const columns = ['a', 'b'];
  const rows = [
    ['=1+1', -2.5],
    ['say "a, b"', null],
  ];
  expect(csvOf({ kind: 'sheet', name: 'x', columns, rows })).toBe(`a,b\r\n'=1+1,-2.5\r\n"say ""a, b""",\r\n`);
});
