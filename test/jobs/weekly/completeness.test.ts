/** @module-tag slow */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { currentIn, deliver, logOf, verifiedIn } from '../jobs.ts';
import { idOf as id, runId, sound, writeDrop } from '../records.ts';

const newFolder = temporaryFolders();

/** Brands by their numbers: `added` came in the newest week, and `late` ran an hour of its last cycle later. */
const [mondays, thursdays, stopped, added, alone, late, fresh, silent, paused] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Workspaces by their numbers, each with its brands. */
const [whole, half, ofLate, ofFresh, ofSilent, ofPaused] = [1, 2, 3, 4, 5, 6].map((n) => id('a', n)) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const brandsOf = [
  [alone],
  [mondays, thursdays, stopped, added],
  ...[late, fresh, silent, paused].map((brand) => [brand]),
  [],
];

/** The last but one prompt of a brand is paused; the last was added on the Friday before the newest Monday. */
const promptsOf = (brand: number) =>
  [0, 1, 2, 3, 4, 5].map((n) =>
    sound.prompts({
      id: id('d', 10 * brand + n),
      brand_id: id('b', brand),
      is_active: n !== 4 && brand !== paused,
      created_at: n === 5 ? '2026-11-13T10:00:00Z' : '2026-01-06T09:30:00Z',
    }),
  );

let runs = 0;
const ran = (brand: number, date: string, engine: string, prompts: readonly number[], given = {}) =>
  prompts.map((n) =>
    sound.runs({
      id: runId(++runs),
      brand_id: id('b', brand),
      prompt_id: id('d', 10 * brand + n),
      engine,
      cycle_date: date,
      ran_at: `${date}T03:00:00Z`,
      ...given,
    }),
  );
const both = (brand: number, date: string, prompts: readonly number[]) =>
  ['chatgpt', 'perplexity'].flatMap((engine) => ran(brand, date, engine, prompts));

const all = [0, 1, 2, 3];
const earlier = [
  ...['2026-10-26', '2026-11-02', '2026-11-09'].flatMap((date) =>
    [mondays, stopped, alone, late].flatMap((brand) => both(brand, date, all)),
  ),
  ...['2026-10-29', '2026-11-05'].flatMap((date) => both(thursdays, date, all)),
  ...ran(mondays, '2026-10-12', 'claude', all), // five weeks ago: not expected any more
  ...[silent, paused].flatMap((brand) => ran(brand, '2026-09-07', 'perplexity', [0])),
];
/** Monday 16: one brand whole with failed runs, one with half of one engine, one silent, one for the first time. */
const newest = [
  ...both(thursdays, '2026-11-12', all),
  ...both(alone, '2026-11-16', [...all, 5]),
  ...ran(mondays, '2026-11-16', 'chatgpt', [...all, 5], { status: 'failed' }),
  ...ran(mondays, '2026-11-16', 'perplexity', [0, 1, 1, 4]),
  ...[added, fresh].flatMap((brand) => both(brand, '2026-11-16', [0])),
  ...both(late, '2026-11-16', [1, 2, 3, 5]),
  ...ran(late, '2026-11-16', 'chatgpt', [0], { ran_at: '2026-11-16T03:00:01Z' }),
  ...ran(late, '2026-11-16', 'perplexity', [0]),
];

let root: string;
beforeAll(async () => {
  root = await newFolder();
  const brands = brandsOf.flat();
  const drop = await writeDrop(join(root, 'drop'), {
    'workspaces.ndjson': brandsOf.map((_, n) => sound.workspaces({ id: id('a', n + 1) })),
    'brands.ndjson': brandsOf.flatMap((own, n) =>
      own.map((brand) =>
        sound.brands({ id: id('b', brand), workspace_id: id('a', n + 1), name: `Brand ${brand}` }),
      ),
    ),
    'prompts.ndjson': brands.flatMap(promptsOf),
    'runs.ndjson': [...earlier, ...newest],
  });
  await deliver(join(root, 'lake'), { folder: drop, date: '2026-11-09' });
});

async function run(store: string, asOf: string, options: Partial<WeeklyOptions> = {}): Promise<WeeklyReport> {
  const lake = directoryStore(join(root, 'lake'));
  return await weekly({
    lake,
    ...logOf(join(root, store)),
    asOf: parseInstant(asOf)!,
    threads: 1,
    ...options,
  });
}

const MONDAY = '2026-11-16T06:00:00Z';
const manifestOf = async (store: string, workspace: string) =>
  (await currentIn(join(root, store), workspace)).manifest;
const of = (workspace: string, { completeness }: WeeklyReport) =>
  completeness.workspaces.find(({ workspaceId }) => workspaceId === workspace);
const reasonsOf = ({ unpublished }: WeeklyReport) =>
  Object.fromEntries(unpublished.map(({ workspaceId, reason }) => [workspaceId, reason]));

test('every engine of a brand that lacks prompts is named, by prompts and not by runs, the worst first; manifests say it, and verify', async () => {
  const { completeness } = await run('named', MONDAY);
  const missing = completeness.missing.map((each) => [
    each.brand,
    each.newestCycle,
    each.engine,
    each.expected,
    each.delivered,
  ]);
  expect(missing).toEqual([
    ['Brand 3', '2026-11-09', 'chatgpt', 5, 0],
    ['Brand 3', '2026-11-09', 'perplexity', 5, 0],
    ['Brand 8', '2026-09-07', 'perplexity', 5, 0],
    ['Brand 1', '2026-11-16', 'perplexity', 5, 2],
  ]);
  // Five prompts on two engines of three Monday brands, four of the brand whose last cycle was before the fifth came.
  expect(completeness).toMatchObject({ expected: 53, delivered: 35, percent: 66 });
  const newestCycle = '2026-11-16';
  expect((await manifestOf('named', whole)).completeness).toEqual({
    newestCycle,
    expected: 10,
    delivered: 10,
    percent: 100,
  });
  expect((await manifestOf('named', half)).completeness).toEqual({
    newestCycle,
    expected: 28,
    delivered: 15,
    percent: 53.6,
  });
  // In its first week nothing is expected.
  expect((await manifestOf('named', ofFresh)).completeness).toMatchObject({ expected: 0, percent: null });
  expect(await verifiedIn(join(root, 'named'))).toMatchObject({ isIntact: true, notes: [] });
});

test('a workspace that falls short of --require-complete is held back, and one with a silent tracker keeps its snapshot', async () => {
  const before = await run('required', '2026-11-09T06:00:00Z');
  // 53.571 %: what is required is compared unrounded.
  const report = await run('required', MONDAY, { requireComplete: 53.58 });
  expect(reasonsOf(report)).toEqual({ [half]: 'incomplete' });
  const kept = before.snapshots.find(({ workspaceId }) => workspaceId === half)!.snapshotId;
  expect((await manifestOf('required', half)).snapshotId).toBe(kept);
  const stale = report.completeness.workspaces.filter(({ isStale }) => isStale);
  expect(stale).toMatchObject([{ workspaceId: ofSilent, newestCycle: '2026-09-07', percent: 0 }]);
  expect(report).toMatchObject({ new: 5, keptStale: [ofSilent] });
  const enough = await run('required', MONDAY, { requireComplete: 53.57 });
  expect(enough).toMatchObject({ new: 1, unchanged: 5, unpublished: [], keptStale: [ofSilent] });
  expect((await manifestOf('required', half)).snapshotId).not.toBe(kept);
});

test('a week in which nothing came is 0 % complete, and held back if more is required; one late run makes its whole cycle count', async () => {
  const required = { requireComplete: 90 };
  // The newest runs are of 16 November, 03:00: seven days before, they are of this week.
  const last = await run('silent-week', '2026-11-23T02:59:59Z', required);
  expect(of(whole, last)).toMatchObject({ expected: 10, delivered: 10, percent: 100 });
  const after = await run('silent-week', '2026-11-23T03:00:00Z', required);
  expect(of(ofLate, after)).toMatchObject({ expected: 10, delivered: 10, percent: 100 });
  // Every prompt that is active now, on each engine of the four weeks that end with the brand's newest cycle.
  expect(of(whole, after)).toMatchObject({ isStale: false, expected: 10, delivered: 0, percent: 0 });
  expect(after.unpublished).toContainEqual({
    workspaceId: whole,
    reason: 'incomplete',
    message: 'less than 90 % of its week has been delivered: none of its 10 prompts on engines',
  });
  expect(reasonsOf(after)).toEqual({
    [whole]: 'incomplete',
    [half]: 'incomplete',
    [ofFresh]: 'incomplete',
  });
});

test('a workspace whose newest cycle is more than 10 days old counts as 0 % complete, and is published if nothing is required; a run in which all are so old fails if anything is', async () => {
  const inTime = await run('stale', '2026-11-26T00:00:00Z');
  expect(of(whole, inTime)).toMatchObject({ newestCycle: '2026-11-16', isStale: false });
  const report = await run('stale', '2026-11-26T00:00:00.000001Z');
  expect(report).toMatchObject({ unpublished: [], completeness: { newestCycle: '2026-11-16', percent: 0 } });
  const counts = { newestCycle: '2026-11-16', expected: 10, delivered: 0, percent: 0 };
  expect(of(whole, report)).toEqual({
    workspaceId: whole,
    brands: 1,
    isActive: true,
    isStale: true,
    ...counts,
  });
  expect((await manifestOf('stale', whole)).completeness).toEqual(counts);

  const required = async (...workspaces: string[]) =>
    await run('stale', '2026-11-30T06:00:00Z', { requireComplete: 1, workspaces });
  expect(reasonsOf(await required(whole, half))).toEqual({ [whole]: 'stale', [half]: 'stale' });
  // A brand that is not silent, because its prompts are paused, makes it no failure.
  expect(await required(whole, ofPaused)).toMatchObject({ unpublished: [], keptStale: [whole] });
});
