/** @module-tag long */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { inShard } from '../../../jobs/weekly/shard.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { currentIn, deliver, publish } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { mention, runId, sound } from '../records.ts';
import type { Files } from '../records.ts';

const id = (kind: string, n: number) => `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
const shards = [1, 2, 3].map((index) => ({ index, count: 3 }));
const shardOf = (n: number) => shards.find((shard) => inShard(id('a', n), shard))!;
/** A workspace of another shard than the first one. */
const elsewhere = numbers.find((n) => shardOf(n) !== shardOf(1))!;

/** A workspace of each number with a brand; `owner` moves one. */
const trackingOf = (owner = (n: number) => n): Files => ({
  'workspaces.ndjson': numbers.map((n) => sound.workspaces({ id: id('a', n) })),
  'brands.ndjson': numbers.map((n) => sound.brands({ id: id('b', n), workspace_id: id('a', owner(n)) })),
  'prompts.ndjson': numbers.map((n) => sound.prompts({ id: id('d', n), brand_id: id('b', n) })),
});
const linesOf = (date: string, brands: readonly number[] = numbers) =>
  brands.map((n) =>
    sound.runs({
      id: runId(n + 1000 * Number(date.slice(-2))),
      brand_id: id('b', n),
      prompt_id: id('d', n),
      cycle_date: date,
      ran_at: `${date}T05:00:00Z`,
      mentions: n % 2 ? [mention()] : [],
    }),
  );
const runsOf = (date: string, brands?: readonly number[]): Files => ({
  'runs.ndjson': linesOf(date, brands),
});
const before = '2026-11-09';
const newest = '2026-11-16';

describe('a lake whose cycles are in many objects', () => {
  let given: TestLake;
  /** The same deliveries with one object a cycle. */
  let whole: string;
  const deliverBoth = async (files: Files) => {
    const delivery = { folder: await given.dropOf(files), date: before };
    await deliver(given.lake, delivery, { runsInObject: 1 });
    await deliver(whole, delivery);
  };
  const store = (name: string) => join(given.folder, name);
  const published = async (lake: string, name: string, options = {}) => {
    const { snapshots } = await publish(lake, store(name), AS_OF, options);
    return snapshots.map(({ workspaceId, snapshotId }) => `${workspaceId} ${snapshotId}`);
  };
  const inShards = async (name = 'shards') => {
    const all: string[] = [];
    for (const shard of shards) all.push(...(await published(given.lake, name, { shard })));
    return all.toSorted();
  };
  const objectsOf = async (workspaceId: string) => {
    const { manifest } = await currentIn(store('shards'), workspaceId);
    const inputs = await readInputs(directoryStore(store('shards')), manifest);
    return inputs.map(({ path }) => path).filter((path) => path.startsWith('runs/'));
  };

  beforeEach(async () => {
    given = await testLake();
    whole = join(given.folder, 'whole');
  });

  test('has each workspace in few of them, and publishes what a lake of whole cycles does', async () => {
    await deliverBoth({ ...trackingOf(), ...runsOf(before) });
    await deliverBoth(runsOf(newest));
    expect(await inShards()).toEqual(await published(whole, 'whole'));
    for (const n of numbers) expect(await objectsOf(id('a', n))).toHaveLength(2);
    const objects = (await readLedger(directoryStore(given.lake))).flatMap(({ runs }) => runs);
    expect(objects.length).toBeGreaterThan(8);
  });

  test('a shard and a single workspace need no object without one of their brands', async () => {
    await deliverBoth({ ...trackingOf(), ...runsOf(before) });
    await deliverBoth(runsOf(newest));
    const expected = await published(whole, 'whole');
    await inShards();
    const own = new Set<string>();
    for (const n of numbers.filter((each) => shardOf(each) === shardOf(1)))
      for (const key of await objectsOf(id('a', n))) own.add(key);
    for (const { runs } of await readLedger(directoryStore(given.lake)))
      for (const { key } of runs) if (!own.has(key)) await rm(join(given.lake, key));
    const ofShard = await published(given.lake, 'again', { shard: shardOf(1) });
    expect(ofShard.length).toBeGreaterThan(0);
    expect(expected).toEqual(expect.arrayContaining(ofShard));
    expect(expected).toEqual(
      expect.arrayContaining(await published(given.lake, 'one', { workspaces: [id('a', 1)] })),
    );
    await expect(published(given.lake, 'all')).rejects.toThrow(/ is missing: the ledger names it/);
  });

  test('a brand that moves to a workspace of another shard takes its runs along', async () => {
    await deliverBoth({ ...trackingOf(), ...runsOf(before) });
    await inShards('before');
    await deliverBoth({ ...trackingOf((n) => (n === 1 ? elsewhere : n)), ...runsOf(newest) });
    expect(await inShards()).toEqual(await published(whole, 'whole'));
    expect(await objectsOf(id('a', elsewhere))).toHaveLength(3);
    expect(await objectsOf(id('a', 1))).toEqual([]);
  });

  test('brands are placed by their own ids until tracking comes, and then by the last tracking', async () => {
    await deliverBoth(runsOf(before));
    await deliverBoth(trackingOf((n) => (n === 2 ? 1 : n)));
    await deliverBoth(runsOf(newest));
    expect(await inShards()).toEqual(await published(whole, 'whole'));
    const dates = (await objectsOf(id('a', 1))).map((key) =>
      key.slice('runs/cycle='.length, -'/0123456789abcdef.parquet'.length),
    );
    expect(dates).toEqual([before, before, newest]);
  });

  test('counts runs of no tracked brand once, in each shard, and of no later runs', async () => {
    const unknown = sound.runs({ id: runId(9), brand_id: id('f', 1), ran_at: `${before}T05:00:00Z` });
    const later = sound.runs({ id: runId(8), brand_id: id('f', 1), ran_at: `${newest}T07:00:00Z` });
    await deliverBoth({ ...trackingOf(), 'runs.ndjson': [...linesOf(before), unknown, later] });
    for (const shard of shards) {
      const report = await publish(given.lake, store('orphans'), AS_OF, { shard });
      expect(report.orphaned.runs).toBe(1);
    }
  });

  test('recomputes a snapshot from its own objects, and notices one that its manifest leaves out', async () => {
    await deliverBoth({ ...trackingOf(), ...runsOf(before) });
    await deliverBoth(runsOf(newest, numbers.slice(1)));
    await inShards();
    const { manifest, publication } = await currentIn(store('shards'), id('a', 1));
    const inputs = await readInputs(directoryStore(store('shards')), manifest);
    const recipe = { ...manifest, publishedAt: publication.publishedAt, inputs };
    const lake = directoryStore(given.lake);
    const { snapshotId, manifestSha256 } = publication;
    expect(await recompute({ lake, store: directoryStore(store('again')) }, recipe)).toEqual({
      snapshotId,
      manifestSha256,
      missing: [],
      changed: [],
      leftOut: [],
    });
    const own = inputs.find(({ path }) => path.startsWith('runs/'));
    const without = { ...recipe, inputs: inputs.filter((input) => input !== own) };
    const forged = await recompute({ lake, store: directoryStore(store('forged')) }, without);
    expect(forged.leftOut).toEqual([own!.path]);
    const stale = { ...recipe, completeness: { ...manifest.completeness!, newestCycle: before } };
    const older = await recompute({ lake, store: directoryStore(store('older')) }, stale);
    expect(older.leftOut.length).toBeGreaterThan(0);
  });
});
