/** @module-tag slow */
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Missing } from '../../../jobs/weekly/checks/completeness.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { Manifest } from '../../../snapshots/manifest.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { currentIn, deliver, logOf, readStore, verifiedIn } from '../jobs.ts';
import {
  added,
  alone,
  earlier,
  half,
  mondays,
  newest,
  ofEngines,
  stopped,
  tracking,
  whole,
} from './incomplete-week.ts';
import { writeDrop } from '../records.ts';

const newFolder = temporaryFolders();

const asOf = parseInstant('2026-11-16T06:00:00Z')!;
let root: string;
let lake: ReturnType<typeof directoryStore>;

beforeAll(async () => {
  root = await newFolder();
  const first = await writeDrop(join(root, 'first'), { ...tracking, 'runs.ndjson': earlier });
  const second = await writeDrop(join(root, 'second'), { 'runs.ndjson': newest });
  await deliver(join(root, 'lake'), { folder: first, date: '2026-11-09' });
  await deliver(join(root, 'lake'), { folder: second, date: '2026-11-16' });
  lake = directoryStore(join(root, 'lake'));
});

async function run(store: string, options: Partial<WeeklyOptions> = {}): Promise<WeeklyReport> {
  return await weekly({ lake, ...logOf(join(root, store)), asOf, threads: 1, ...options });
}

async function manifestOf(store: string, workspaceId: string): Promise<Manifest | null> {
  const { log } = await readStore(join(root, store));
  if (!log.heads.has(workspaceId)) return null;
  return (await currentIn(join(root, store), workspaceId)).manifest;
}

const lacking = (
  brandId: string,
  newestCycle: string,
  engine: Missing['engine'],
  expected: number,
  delivered: number,
): Missing => ({
  workspaceId: half,
  brandId,
  brand: `Brand ${brandId.slice(-1)}`,
  newestCycle,
  engine,
  expected,
  delivered,
});

test('names every engine of a brand that lacks prompts, by prompts and not by runs, the worst first', async () => {
  const { completeness } = await run('named');
  expect(completeness.missing).toEqual([
    lacking(stopped, '2026-11-09', 'chatgpt', 5, 0),
    lacking(stopped, '2026-11-09', 'perplexity', 5, 0),
    lacking(mondays, '2026-11-16', 'perplexity', 5, 2),
  ]);
  // Five prompts on two engines of three Monday brands, four of the brand whose last cycle was before the fifth came.
  expect(completeness).toMatchObject({ expected: 38, delivered: 25, percent: 65.8 });
});

test('the manifest of each workspace says what it lacks, and verifies', async () => {
  await run('named');
  const newestCycle = '2026-11-16';
  const ofWhole = await manifestOf('named', whole);
  expect(ofWhole!.completeness).toEqual({ newestCycle, expected: 10, delivered: 10, percent: 100 });
  const manifest = (await manifestOf('named', half))!;
  expect(manifest.completeness).toEqual({ newestCycle, expected: 28, delivered: 15, percent: 53.6 });
  const verified = await verifiedIn(join(root, 'named'));
  expect(verified).toMatchObject({ isIntact: true, notes: [] });
});

const at = (instant: string) => ({ asOf: parseInstant(instant)!, requireComplete: 90 });

test('a week in which nothing came is 0 % complete, and held back if more is required', async () => {
  const store = 'silent-week';
  // The newest runs are of 16 November, 03:00: seven days before, they are of this week.
  const last = await run(store, at('2026-11-23T02:59:59Z'));
  expect(ofWhole(last)).toMatchObject({ expected: 10, delivered: 10, percent: 100 });
  const silent = await run(store, at('2026-11-23T03:00:00Z'));
  expect(silent.completeness).toMatchObject({ newestCycle: '2026-11-16', delivered: 0, percent: 0 });
  // Every prompt that is active now, on each engine of the four weeks that end with the brand's newest cycle.
  expect(ofWhole(silent)).toMatchObject({ isStale: false, expected: 10, delivered: 0, percent: 0 });
  expect(silent.completeness.missing).toContainEqual(lacking(added, '2026-11-16', 'chatgpt', 5, 0));
  expect(silent).toMatchObject({ new: 0, keptStale: [] });
  expect(silent.unpublished).toEqual([
    {
      workspaceId: whole,
      reason: 'incomplete',
      message: 'less than 90 % of its week has been delivered: none of its 10 prompts on engines',
    },
    expect.objectContaining({ workspaceId: half, reason: 'incomplete' }),
  ]);
  expect((await manifestOf(store, whole))!.snapshotId).toBe(last.snapshots[0]!.snapshotId);
  const published = await run(store, { ...at('2026-11-23T03:00:00Z'), requireComplete: undefined });
  expect(published).toMatchObject({ new: 2, unpublished: [], completeness: { percent: 0 } });
});

test('one run of the last seven days in the newest cycle makes the whole cycle count', async () => {
  const asLate = parseInstant('2026-11-23T06:00:00Z')!;
  const folder = await temporaryFolder();
  const [first, ...others] = ofEngines(alone, '2026-11-16', [0, 1, 2, 3, 5]);
  const runs = [
    ...ofEngines(alone, '2026-11-09', [0, 1, 2, 3]),
    { ...first, ran_at: '2026-11-16T06:00:01Z' },
    ...others,
  ];
  const drop = await writeDrop(join(folder, 'drop'), { ...tracking, 'runs.ndjson': runs });
  await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
  const options = { lake: directoryStore(join(folder, 'lake')), asOf: asLate };
  const { completeness } = await run('one-run', options);
  expect(completeness).toMatchObject({ expected: 10, delivered: 10, percent: 100 });
});

test('a workspace that falls short is not published, and the others are', async () => {
  const store = 'required';
  const earlierWeek = await run(store, { asOf: parseInstant('2026-11-09T06:00:00Z')! });
  const before = earlierWeek.snapshots.find(({ workspaceId }) => workspaceId === half)!.snapshotId;
  // 53.571 %: what is required is compared unrounded.
  const report = await run(store, { requireComplete: 53.58 });
  expect(report.unpublished).toMatchObject([{ workspaceId: half, reason: 'incomplete' }]);
  expect(report.snapshots).toMatchObject([{ workspaceId: whole, isNew: true }]);
  expect((await manifestOf(store, half))!.snapshotId).toBe(before);
  const enough = await run(store, { requireComplete: 53.57 });
  expect(enough.unpublished).toEqual([]);
  expect((await manifestOf(store, half))!.snapshotId).not.toBe(before);
});

test('in the first week nothing is expected, and nothing falls short', async () => {
  const beginning = await temporaryFolder();
  const records = { ...tracking, 'runs.ndjson': ofEngines(alone, '2026-11-16', [0]) };
  await deliver(join(beginning, 'lake'), {
    folder: await writeDrop(join(beginning, 'drop'), records),
    date: '2026-11-16',
  });
  const first = directoryStore(join(beginning, 'lake'));
  const { completeness, unpublished } = await run('beginning', { lake: first, requireComplete: 100 });
  expect(completeness).toMatchObject({ expected: 0, delivered: 0, percent: null, missing: [] });
  expect(unpublished).toEqual([]);
});

const ofWhole = ({ completeness }: WeeklyReport) =>
  completeness.workspaces.find(({ workspaceId }) => workspaceId === whole);

test('a workspace whose newest cycle is more than 10 days old is published, and counts as 0 % complete', async () => {
  const store = 'stale';
  const inTime = await run(store, { asOf: parseInstant('2026-11-26T00:00:00Z')! });
  expect(ofWhole(inTime)).toMatchObject({ newestCycle: '2026-11-16', isStale: false });
  const late = { asOf: parseInstant('2026-11-26T00:00:00.000001Z')! };
  const report = await run(store, late);
  expect(report).toMatchObject({
    new: 2,
    unpublished: [],
    completeness: { newestCycle: '2026-11-16', percent: 0 },
  });
  expect(ofWhole(report)).toEqual({
    workspaceId: whole,
    brands: 1,
    newestCycle: '2026-11-16',
    isActive: true,
    isStale: true,
    expected: 10,
    delivered: 0,
    percent: 0,
  });
  expect((await manifestOf(store, whole))!.completeness).toMatchObject({ delivered: 0, percent: 0 });
  const required = await run('stale-required', { ...late, requireComplete: 1 });
  expect(required.unpublished).toMatchObject([
    { workspaceId: whole, reason: 'stale' },
    { workspaceId: half, reason: 'stale' },
  ]);
});
