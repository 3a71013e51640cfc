/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { historyKey } from '../../../snapshots/layout.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { runHere } from '../../support/command-line.ts';
import { until } from '../../support/until.ts';
import { currentIn, documentsOf, logOf, readStore, settingsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { runId, sound } from '../records.ts';
import type { Files } from '../records.ts';

const workspaces = [1, 2, 3, 4].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const [first, second, third, fourth] = workspaces;
const brand = (workspace: string, n: number) =>
  `bbbbbbbb-0000-4000-8000-${workspace.slice(-1)}0000000000${n}`;

/** Workspaces with so many brands each, whose brands have one prompt each. */
function tracking(counts: Readonly<Record<string, number>>): Files {
  const brands = Object.entries(counts).flatMap(([workspace, count]) =>
    Array.from({ length: count }, (_, n) =>
      sound.brands({ id: brand(workspace, n), workspace_id: workspace }),
    ),
  );
  return {
    'workspaces.ndjson': Object.keys(counts).map((id) => sound.workspaces({ id })),
    'brands.ndjson': brands,
    'prompts.ndjson': brands.map(({ id }) =>
      sound.prompts({ id: String(id).replace('bbbbbbbb', 'dddddddd'), brand_id: id }),
    ),
  };
}

const runs = workspaces.map((workspace, n) => {
  const brand_id = brand(workspace, 0);
  return sound.runs({ id: runId(n), brand_id, prompt_id: brand_id.replace('bbbbbbbb', 'dddddddd') });
});

const instant = (week: number) => parseInstant(`2026-11-${String(2 + 7 * week).padStart(2, '0')}T06:00:00Z`)!;

async function setUp(counts: Readonly<Record<string, number>>) {
  const { folder, lake, ingested } = await testLake();
  const log = logOf(join(folder, 'store'));
  const { store } = log;
  const currentOf = async (workspaceId: string) => await currentIn(join(folder, 'store'), workspaceId);
  const run = async (week: number, options: Partial<WeeklyOptions> = {}): Promise<WeeklyReport> =>
    await weekly({ lake: directoryStore(lake), ...log, asOf: instant(week), threads: 1, ...options });
  await ingested({ ...tracking(counts), 'runs.ndjson': runs }, '2026-11-01');
  return { folder, lake, store, ingested, run, currentOf };
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
  const report = await run(1);
  expect(report).toMatchObject({ workspaces: 4, new: 2 });
  const message = expect.stringMatching(
    /does not have the bytes that the log names: "audit log complete" writes it again$/,
  ) as string;
  expect(report.unpublished).toEqual(
    [first, third].map((workspaceId) => ({ workspaceId, reason: 'failed', message })),
  );
  expect((await currentOf(fourth)).manifest.snapshotId).toContain('20261109');
  const file = join(folder, 'weekly.prom');
  const at = ['--lake', lake, '--store', store, '--as-of', '2026-11-09T06:00:00Z', '--metrics-file', file];
  const ended = await runHere('job', ['weekly', ...at], { settings: settingsOf(store) });
  expect(ended).toMatchObject({ status: 1 });
  expect(ended.stdout).toContain('Not published:');
  expect(ended.stderr).toMatch(/^sightline: 2 of 4 workspaces were not published: aaaaaaaa[^\n]*\n$/);
  expect(await readFile(file, 'utf8')).toContain(
    `sightline_weekly_unpublished{workspace="${first}",reason="failed"} 1\n`,
  );
});

/** A store in which writing documents of one workspace fails, and those of another wait. */
function troubled(store: ObjectStore, fails: string, waits: string) {
  const waiting = Promise.withResolvers<undefined>();
  const events: string[] = [];
  const createMany: ObjectStore['createMany'] = async (entries) => {
    const list = await Array.fromAsync(entries);
    const key = list[0]!.key;
    if (key.includes(fails)) throw new Error('the disk is on fire');
    if (key.includes(waits) && !key.endsWith('.manifest.json')) {
      events.push('waits');
      await waiting.promise;
      events.push('written');
    }
    return await store.createMany(list);
  };
  return { store: { ...store, createMany }, events, go: () => waiting.resolve(undefined) };
}

test('a run that is aborted throws, after all that it started has ended', async () => {
  const { store, run } = await setUp(all);
  const { store: slow, events, go } = troubled(store, 'nobody', second);
  const stop = new AbortController();
  const ended = run(0, { store: slow, signal: stop.signal }).then(
    () => events.push('done'),
    () => events.push('thrown'),
  );
  await until(() => events.includes('waits'));
  stop.abort(new Error('the lease was lost'));
  go();
  await ended;
  expect(events).toEqual(['waits', 'written', 'thrown']);
});

test('a workspace whose objects cannot be written does not keep the others, which may be slower', async () => {
  const { store, run } = await setUp(all);
  const { store: bad, go } = troubled(store, first, second);
  const ended = run(0, { store: bad });
  go();
  expect(await ended).toMatchObject({
    new: 3,
    unpublished: [
      {
        workspaceId: first,
        reason: 'failed',
        message: expect.stringContaining('the disk is on fire') as string,
      },
    ],
  });
});

test('a workspace that would lose more than half of its brands is held back, until --allow-shrink', async () => {
  const { ingested, run, currentOf } = await setUp(all);
  await run(0);
  await ingested(tracking({ ...all, [second]: 2 }), '2026-11-08');
  expect((await run(1)).unpublished).toEqual([]); // half
  await ingested(tracking({ ...all, [second]: 0 }), '2026-11-15');
  const before = await currentOf(second);
  const report = await run(2);
  expect(report).toMatchObject({ new: 3 });
  expect(report.unpublished).toEqual([
    {
      workspaceId: second,
      reason: 'shrunk',
      message: 'only 0 of its 2 brands would be left; --allow-shrink publishes it',
    },
  ]);
  expect(await currentOf(second)).toEqual(before);
  expect(await run(2, { allowShrink: true })).toMatchObject({ new: 1, unchanged: 3, unpublished: [] });
  expect((await run(3)).unpublished).toEqual([]);
});

test('a workspace that is no longer tracked is named, until --allow-shrink retires it', async () => {
  const { folder, lake, ingested, run, store, currentOf } = await setUp(all);
  await run(0);
  const { [second]: gone, ...left } = all;
  expect(gone).toBe(4);
  await ingested(tracking(left), '2026-11-08');
  const report = await run(1);
  expect(report).toMatchObject({ workspaces: 4, new: 3 });
  expect(report.unpublished).toEqual([
    {
      workspaceId: second,
      reason: 'untracked',
      message: 'it is no longer tracked; --allow-shrink retires it',
    },
  ]);
  expect((await run(0)).unpublished).toEqual([]); // it was tracked then
  const shards = await Promise.all([1, 2].map((index) => run(1, { shard: { index, count: 2 } })));
  expect(shards.flatMap(({ unpublished }) => unpublished)).toHaveLength(1);
  expect((await run(1, { workspaces: [second] })).unpublished).toHaveLength(1);
  expect(await run(1, { allowShrink: true })).toMatchObject({ new: 1, unchanged: 3, unpublished: [] });
  const documents = await documentsOf(join(folder, 'store'), second);
  expectNoBrands(documents);
  expect(await run(2)).toMatchObject({ workspaces: 3, unpublished: [] });
  const { manifest, publication } = await currentOf(second);
  const again = directoryStore(join(folder, 'again'));
  const inputs = await readInputs(store, manifest);
  const recipe = { ...manifest, publishedAt: publication.publishedAt, inputs };
  const recomputed = await recompute({ lake: directoryStore(lake), store: again }, recipe);
  expect(recomputed).toMatchObject({
    snapshotId: manifest.snapshotId,
    manifestSha256: publication.manifestSha256,
  });
});

test('a workspace that is retired has no brands, even if the brands are still delivered', async () => {
  const { folder, ingested, run } = await setUp(all);
  await run(0);
  const { [second]: gone, ...left } = all;
  expect(gone).toBe(4);
  await ingested({ 'workspaces.ndjson': tracking(left)['workspaces.ndjson']! }, '2026-11-08');
  expect(await run(1, { allowShrink: true })).toMatchObject({
    new: 4,
    unpublished: [],
    orphaned: { brands: 4 },
  });
  expectNoBrands(await documentsOf(join(folder, 'store'), second));
  expect(await run(2)).toMatchObject({ workspaces: 3, unpublished: [] });
});

test('a snapshot that is as of later and is published at any step of the run is not replaced', async () => {
  const { folder, run } = await setUp({ [first]: 1 });
  let held = 0;
  for (let hasOtherRun = true; hasOtherRun;) {
    held += 1;
    const store = directoryStore(join(folder, String(held)));
    const log = logOf(store.url);
    hasOtherRun = false;
    let step = 0;
    const interposed = interposedStore(store, {
      async after({ key }) {
        // Between its documents nothing is read.
        if (key.includes('/snapshots/') || ++step !== held) return;
        hasOtherRun = true;
        await run(2, log);
      },
    });
    await run(1, { ...log, store: interposed, keepNewer: true });
    const { manifest } = await currentIn(store.url, first);
    expect(parseInstant(manifest.asOf)).toBe(instant(hasOtherRun ? 2 : 1));
  }
  expect(held).toBeGreaterThan(5);
});

/** The list, the week and the tables of the workspace are there, all empty. */
function expectNoBrands(documents: ReadonlyMap<string, Buffer>): void {
  const text = (path: string) => documents.get(path)!.toString('utf8');
  expect(text('brands.json')).toBe('{"data":[]}\n');
  expect(text('week.json')).toContain('"brands":[]');
  const tables = [...documents.keys()].filter((path) => path.startsWith('tables/'));
  expect(tables).toHaveLength(11);
  for (const table of tables) expect(text(table)).toContain('"rows":[]');
  expect(documents.size).toBe(2 + tables.length);
}
