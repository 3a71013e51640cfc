/** @module-tag slow */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { cachedLake } from '../../../jobs/lake/cache.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { logOf } from '../jobs.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, sound, tracked } from '../records.ts';

const clock = { now: () => Date.parse(AS_OF) };
let folder: string;
let cache: string;

beforeEach(async () => {
  ({ folder } = await testLake());
  cache = join(folder, 'cache');
});

test('a lake in a folder has no cache', () => {
  const lake = directoryStore(folder);
  expect(cachedLake(lake, cache)).toBe(lake);
});

const kept = async () => await filesBelow(cache);

describeS3('a lake in S3 with a cache', () => {
  let bucket: TestBucket;
  let fetched: string[];
  let lake: ObjectStore;

  beforeEach(async () => {
    bucket = await makeBucket();
    const stored = bucket.store('lake');
    fetched = [];
    const counting: ObjectStore = {
      ...stored,
      async localFile(key, scratch) {
        fetched.push(key);
        return await stored.localFile(key, scratch);
      },
    };
    lake = cachedLake(counting, cache);
    const { dropOf } = await testLake();
    const from = await dropOf({ ...tracked, 'runs.ndjson': [sound.runs()] });
    await ingest({ from, lake: stored, date: '2026-11-09', threads: 1 }, { clock });
    return async () => {
      stored.close();
      await bucket.remove();
    };
  });

  const publish = async (store: string) => {
    const asOf = parseInstant(AS_OF)!;
    const { snapshots } = await weekly({ ...logOf(join(folder, store)), lake, asOf, threads: 1 });
    return snapshots.map(({ snapshotId }) => snapshotId);
  };

  test('fetches each object once, again if its copy was damaged, and publishes the same', async () => {
    const first = await publish('first');
    expect(fetched.length).toBeGreaterThan(4);
    expect(await kept()).toHaveLength(new Set(fetched).size);
    fetched.length = 0;
    expect(await publish('second')).toEqual(first);
    expect(fetched).toEqual([]);
    const damaged = (await kept()).find((path) => path.includes('/runs/'))!;
    const bytes = await readFile(damaged);
    await writeFile(damaged, 'damaged');
    expect(await publish('third')).toEqual(first);
    expect(fetched).toEqual([damaged.slice(cache.length + 1)]);
    expect(await readFile(damaged)).toEqual(bytes);
  });

  test('keeps nothing of a workspace that was removed', async () => {
    await publish('first');
    await removeWorkspace(
      { lake: bucket.store('lake'), workspaceId: ids.workspace, isDryRun: false },
      { clock },
    );
    await publish('second');
    const names = await Promise.all(
      (await kept()).map(async (path) => (await readFile(path)).toString('latin1')),
    );
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((text) => text.includes('Acme'))).toEqual([]);
  });
});
