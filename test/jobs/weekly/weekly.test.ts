/** @module-tag black-box */
import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publish } from '../../adapters/publish.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, runId, sound } from '../records.ts';
import { other, twoWorkspaces } from './two-workspaces.ts';

/** Every document of a store's snapshots, by key, which has the hash of all of them. */
async function objectsOf(store: string): Promise<Record<string, string>> {
  const files = (await filesBelow(store)).filter((path) => /\/snapshots\/.*\/brands/.test(path));
  const read = files.map(async (path) => [relative(store, path), await readFile(path, 'base64')]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

describe('weekly', () => {
  test('publishes the same documents under the same ids into any store, with any number of threads', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const first = await publish(lake, join(folder, 'a'), AS_OF, { threads: 1 });
    const second = await publish(lake, join(folder, 'b'), AS_OF, { threads: 4 });
    expect(first).toMatchObject({ workspaces: 2, brands: 1, documents: 33, new: 2, unchanged: 0 });
    expect(second).toEqual(first);
    const objects = await objectsOf(join(folder, 'a'));
    expect(Object.keys(objects)).toHaveLength(11);
    expect(await objectsOf(join(folder, 'b'))).toEqual(objects);
  });

  test.each(['runs', 'tracking'])(
    'publishes nothing from %s that are not what was ingested',
    async (kind) => {
      const { folder, lake, ingested } = await testLake();
      await ingested(twoWorkspaces);
      const object = (await filesBelow(join(lake, kind))).at(-1)!;
      await appendFile(object, 'x');
      const store = join(folder, 'store');
      await expect(publish(lake, store, AS_OF)).rejects.toThrow(
        `${object} does not have the bytes that were ingested`,
      );
      expect(await filesBelow(store)).toEqual([]);
    },
  );

  test('published twice changes nothing', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const store = join(folder, 'store');
    const first = await publish(lake, store, AS_OF);
    const before = await objectsOf(store);
    const again = await publish(lake, store, AS_OF);
    expect(again).toMatchObject({ new: 0, unchanged: 2 });
    expect(again.snapshots.map(({ snapshotId }) => snapshotId)).toEqual(
      first.snapshots.map(({ snapshotId }) => snapshotId),
    );
    expect(await objectsOf(store)).toEqual(before);
  });

  test('counts what was refused over all deliveries, and what belongs to nothing', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    await ingested({ 'runs.ndjson': ['{', sound.runs({ id: runId(9), brand_id: runId(9) })] });
    const report = await publish(lake, join(folder, 'store'), AS_OF);
    expect(report).toMatchObject({
      refused: 2,
      orphaned: { runs: 1, prompts: 0, competitors: 0, brands: 0 },
    });
  });

  test('sees a run only from its instant on, and a cycle only from its day on', async () => {
    const { ingested, answers } = await testLake();
    await ingested(twoWorkspaces, '2026-10-01');
    const datesAt = async (asOf: string) =>
      JSON.stringify((await answers(asOf))[ids.brand]).match(/2026-11-\d\d(?=","score)/g);
    expect(await datesAt('2026-11-09T08:00:00Z')).toEqual(['2026-11-02', '2026-11-09']);
    expect(await datesAt('2026-11-09T07:59:59.999999Z')).toEqual(['2026-11-02']);
    expect(await datesAt('2026-11-02T07:59:59.999999Z')).toBeNull();
  });

  test('of some workspaces publishes those alone; the shards of a count share all of them out', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const store = join(folder, 'store');
    const one = await publish(lake, store, AS_OF, { workspaces: [other] });
    expect(one.snapshots).toMatchObject([{ workspaceId: other, isNew: true }]);
    const shards = await Promise.all(
      [1, 2, 3].map((index) => publish(lake, store, AS_OF, { shard: { index, count: 3 } })),
    );
    const published = shards.flatMap(({ snapshots }) => snapshots.map(({ workspaceId }) => workspaceId));
    expect(published.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([ids.workspace, other]);
  });
});
