/** @module-tag black-box */
import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publish } from '../../adapters/publish.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { twoWorkspaces } from './two-workspaces.ts';

/** Every document of a store's snapshots, by key, which has the hash of all of them. */
async function objectsOf(store: string): Promise<Record<string, string>> {
  const files = (await filesBelow(store)).filter((path) => /\/snapshots\/.*\/brands/.test(path));
  const read = files.map(async (path) => [relative(store, path), await readFile(path, 'base64')]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

describe('weekly', () => {
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
});
