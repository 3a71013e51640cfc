/** @module-tag slow */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { cachedLake } from '../../../jobs/lake/cache.ts';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { describeEachS3 } from '../../support/s3-server.ts';
import { logOf } from '../jobs.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, sound, tracked } from '../records.ts';

const clock = { now: () => Date.parse(AS_OF) };

describeEachS3('a lake in S3 with a cache', (bucket) => {
  test('fetches each object once, again if its copy was damaged, publishes the same, and keeps nothing of a workspace that was removed', async () => {
    const { folder, dropOf } = await testLake();
    const cache = join(folder, 'cache');
    const stored = bucket().store('lake');
    const fetched: string[] = [];
    const counting: ObjectStore = {
      ...stored,
      async localFile(key, scratch) {
        fetched.push(key);
        return await stored.localFile(key, scratch);
      },
    };
    const from = await dropOf({ ...tracked, 'runs.ndjson': [sound.runs()] });
    await ingest({ from, lake: stored, date: '2026-11-09', threads: 1 }, { clock });
    const publish = async (store: string) => {
      const options = { lake: cachedLake(counting, cache), asOf: parseInstant(AS_OF)!, threads: 1 };
      const { snapshots } = await weekly({ ...logOf(join(folder, store)), ...options });
      return snapshots.map(({ snapshotId }) => snapshotId);
    };
    const first = await publish('first');
    expect(fetched.length).toBeGreaterThan(4);
    const kept = await filesBelow(cache);
    expect(kept).toHaveLength(new Set(fetched).size);
    const damaged = kept.find((path) => path.includes('/runs/'))!;
    const bytes = await readFile(damaged);
    await writeFile(damaged, 'damaged');
    fetched.length = 0;
    expect(await publish('second')).toEqual(first);
    expect(fetched).toEqual([damaged.slice(cache.length + 1)]);
    expect(await readFile(damaged)).toEqual(bytes);

    await removeWorkspace({ lake: stored, workspaceId: ids.workspace, isDryRun: false }, { clock });
    await publish('third');
    const left = await filesBelow(cache);
    const texts = await Promise.all(left.map((path) => readFile(path, 'latin1')));
    expect(texts.filter((text) => text.includes('Acme'))).toEqual([]);

    const local = async (key: string, place = cache) =>
      await cachedLake(stored, place).localFile(key, folder);
    expect(await local('runs/none.parquet')).toBeNull();
    expect(await local('deliveries/00000001.json')).toMatch(/\/s3\//);
    await expect(local(left[0]!.slice(cache.length + 1), left[0])).rejects.toThrow(
      /LAKE_CACHE\) cannot be written/,
    );
    stored.close();
  });
});
