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
const numbers = Array.from({ length: 6 }, (_, n) => n + 1);
const shards = [1, 2].map((index) => ({ index, count: 2 }));
const shardOf = (n: number) => shards.find((shard) => inShard(id('a', n), shard))!;

/** A workspace of each number with a brand. */
const tracking: Files = {
  'workspaces.ndjson': numbers.map((n) => sound.workspaces({ id: id('a', n) })),
  'brands.ndjson': numbers.map((n) => sound.brands({ id: id('b', n), workspace_id: id('a', n) })),
  'prompts.ndjson': numbers.map((n) => sound.prompts({ id: id('d', n), brand_id: id('b', n) })),
};
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
  const delivered = async (files: Files) => {
    const delivery = { folder: await given.dropOf(files), date: before };
    await deliver(given.lake, delivery, { runsInObject: 1 });
  };
  const store = (name: string) => join(given.folder, name);
  const published = async (name: string, options = {}) => {
    const { snapshots } = await publish(given.lake, store(name), AS_OF, options);
    return snapshots.map(({ workspaceId, snapshotId }) => `${workspaceId} ${snapshotId}`);
  };
  const objectsOf = async (workspaceId: string) => {
    const { manifest } = await currentIn(store('all'), workspaceId);
    const inputs = await readInputs(directoryStore(store('all')), manifest);
    return inputs.map(({ path }) => path).filter((path) => path.startsWith('runs/'));
  };

  beforeEach(async () => {
    given = await testLake();
    await delivered({ ...tracking, ...runsOf(before) });
  });

  test('a shard and a single workspace need no object without one of their brands', async () => {
    await delivered(runsOf(newest));
    const expected = await published('all');
    const own = new Set<string>();
    for (const n of numbers.filter((each) => shardOf(each) === shardOf(1)))
      for (const key of await objectsOf(id('a', n))) own.add(key);
    for (const { runs } of await readLedger(directoryStore(given.lake)))
      for (const { key } of runs) if (!own.has(key)) await rm(join(given.lake, key));
    const ofShard = await published('shard', { shard: shardOf(1) });
    expect(ofShard.length).toBeGreaterThan(0);
    expect(expected).toEqual(expect.arrayContaining(ofShard));
    expect(expected).toEqual(expect.arrayContaining(await published('one', { workspaces: [id('a', 1)] })));
    await expect(published('missing')).rejects.toThrow(/ is missing: the ledger names it/);
  });

  test('recomputes a snapshot from its own objects, and notices one that its manifest leaves out', async () => {
    await delivered(runsOf(newest, numbers.slice(1)));
    await published('all');
    const { manifest, publication } = await currentIn(store('all'), id('a', 1));
    const inputs = await readInputs(directoryStore(store('all')), manifest);
    const recipe = { ...manifest, publishedAt: publication.publishedAt, inputs };
    const again = async (name: string, changed: Partial<typeof recipe> = {}) => {
      const parts = { lake: directoryStore(given.lake), store: directoryStore(store(name)) };
      return await recompute(parts, { ...recipe, ...changed });
    };
    const { snapshotId, manifestSha256 } = publication;
    const whole = { snapshotId, manifestSha256, missing: [], changed: [], leftOut: [] };
    expect(await again('again')).toEqual(whole);
    const own = inputs.find(({ path }) => path.startsWith('runs/'));
    const forged = await again('forged', { inputs: inputs.filter((input) => input !== own) });
    expect(forged.leftOut).toEqual([own!.path]);
    const completeness = { ...manifest.completeness!, newestCycle: before };
    expect((await again('older', { completeness })).leftOut.length).toBeGreaterThan(0);
  });
});
