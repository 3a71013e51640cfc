/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { historyKey } from '../../../snapshots/layout.ts';
import { runHere } from '../../support/command-line.ts';
import { currentIn, documentsOf, logOf, readStore, settingsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { idOf, sound } from '../records.ts';
import type { Files } from '../records.ts';

const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => idOf('a', n)) as [
  string,
  string,
  string,
  string,
];
const brandOf = (workspace: string, n: number) =>
  `bbbbbbbb-0000-4000-8000-${workspace.slice(-1)}0000000000${n}`;

/** Workspaces with so many brands each. */
function tracking(counts: Readonly<Record<string, number>>): Files {
  const brands = Object.entries(counts).flatMap(([workspace_id, count]) =>
    Array.from({ length: count }, (_, n) => sound.brands({ id: brandOf(workspace_id, n), workspace_id })),
  );
  return {
    'workspaces.ndjson': Object.keys(counts).map((id) => sound.workspaces({ id })),
    'brands.ndjson': brands,
  };
}

const instant = (week: number) => parseInstant(`2026-11-${String(2 + 7 * week).padStart(2, '0')}T06:00:00Z`)!;

async function setUp(counts: Readonly<Record<string, number>>) {
  const { folder, lake, ingested } = await testLake();
  const log = logOf(join(folder, 'store'));
  const currentOf = async (workspaceId: string) => await currentIn(join(folder, 'store'), workspaceId);
  const run = async (week: number, options: Partial<WeeklyOptions> = {}): Promise<WeeklyReport> =>
    await weekly({ lake: directoryStore(lake), ...log, asOf: instant(week), threads: 1, ...options });
  await ingested(tracking(counts), '2026-11-01');
  return { folder, lake, store: log.store, ingested, run, currentOf };
}

const all = { [first]: 1, [second]: 4, [third]: 1, [fourth]: 1 };

test('a workspace whose history is damaged is reported with the reason, and all others are published', async () => {
  const { folder, lake, run, currentOf } = await setUp(all);
  await run(0);
  const store = join(folder, 'store');
  const { heads } = (await readStore(store)).log;
  for (const id of [first, third]) {
    const history = join(store, historyKey(id, heads.get(id)!));
    await writeFile(history, (await readFile(history, 'utf8')).replace(/"brands":./, '"brands":9'));
  }
  const file = join(folder, 'weekly.prom');
  const at = ['--lake', lake, '--store', store, '--as-of', '2026-11-09T06:00:00Z', '--metrics-file', file];
  const ended = await runHere('job', ['weekly', ...at], { settings: settingsOf(store) });
  expect(ended.status).toBe(1);
  expect(ended.stdout).toMatch(/Not published:\n.*\n.*"audit log complete" writes it again/);
  expect(ended.stderr).toMatch(/^sightline: 2 of 4 workspaces were not published: aaaaaaaa[^\n]*\n$/);
  expect(await readFile(file, 'utf8')).toContain(
    `sightline_weekly_unpublished{workspace="${first}",reason="failed"} 1\n`,
  );
  expect((await currentOf(fourth)).manifest.snapshotId).toContain('20261109');
});

test('a run that is aborted throws, after all that it started has ended', async () => {
  const { store, run } = await setUp(all);
  const events: string[] = [];
  const stop = new AbortController();
  const createMany: ObjectStore['createMany'] = async (entries) => {
    events.push('starts');
    stop.abort(new Error('the lease was lost'));
    const created = await store.createMany(entries);
    events.push('written');
    return created;
  };
  const ended = run(0, { store: { ...store, createMany }, signal: stop.signal });
  await expect(ended).rejects.toThrow('the lease was lost');
  const count = (event: string) => events.filter((each) => each === event).length;
  expect(count('written')).toBe(count('starts'));
  expect(events.length).toBeGreaterThan(0);
});

test('a workspace that would lose more than half of its brands is held back, until --allow-shrink', async () => {
  const { ingested, run, currentOf } = await setUp(all);
  await run(0);
  await ingested(tracking({ ...all, [second]: 2 }), '2026-11-08');
  expect((await run(1)).unpublished).toEqual([]); // half
  await ingested(tracking({ ...all, [second]: 0 }), '2026-11-15');
  const before = await currentOf(second);
  const report = await run(2);
  expect(report.new).toBe(3);
  const message = 'only 0 of its 2 brands would be left; --allow-shrink publishes it';
  expect(report.unpublished).toEqual([{ workspaceId: second, reason: 'shrunk', message }]);
  expect(await currentOf(second)).toEqual(before);
  expect(await run(2, { allowShrink: true })).toMatchObject({ new: 1, unchanged: 3, unpublished: [] });
  expect((await run(3)).unpublished).toEqual([]);
});

test('a workspace that is no longer tracked is named, until --allow-shrink retires it without brands, even if they are still delivered', async () => {
  const { folder, ingested, run } = await setUp(all);
  await run(0);
  const left = Object.fromEntries(Object.entries(all).filter(([id]) => id !== second));
  await ingested({ 'workspaces.ndjson': tracking(left)['workspaces.ndjson']! }, '2026-11-08');
  const report = await run(1);
  expect(report).toMatchObject({ workspaces: 4, new: 3, orphaned: { brands: 4 } });
  const message = 'it is no longer tracked; --allow-shrink retires it';
  expect(report.unpublished).toEqual([{ workspaceId: second, reason: 'untracked', message }]);
  expect((await run(0)).unpublished).toEqual([]); // it was tracked then
  const shards = await Promise.all([1, 2].map((index) => run(1, { shard: { index, count: 2 } })));
  expect(shards.flatMap(({ unpublished }) => unpublished)).toHaveLength(1);
  expect((await run(1, { workspaces: [second] })).unpublished).toHaveLength(1);
  expect(await run(1, { allowShrink: true })).toMatchObject({ new: 1, unchanged: 3, unpublished: [] });
  const texts = [...(await documentsOf(join(folder, 'store'), second)).values()].map(String);
  expect(texts).toHaveLength(13);
  for (const text of texts) expect(text).toMatch(/"(?:data|brands|rows)":\[\]/);
  expect(await run(2)).toMatchObject({ workspaces: 3, unpublished: [] });
});

test('a run whose clock is a minute from that of the store is refused, and publishes nothing', async () => {
  const { store, run } = await setUp({ [first]: 1 });
  const shifted = (ms: number) => ({ store: { ...store, time: async () => Date.now() + ms } });
  await expect(run(0, shifted(62_000))).rejects.toThrow(/6[12] s behind/);
  await expect(run(0, shifted(-62_000))).rejects.toThrow(/6[123] s ahead/);
  expect(await store.folders('')).toEqual([]);
  for (const ms of [50_000, -50_000]) expect((await run(0, shifted(ms))).unpublished).toEqual([]);
});
