/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { manifestKey, pointerKey } from '../../../snapshots/layout.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { expectAtEachStep, interposedStore } from '../../support/interposed-store.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { publicationOf, workspaceId } from '../publication.ts';
import { expectExplained, wholeChain, wholeSnapshot } from './whole.ts';

const asOf = (week: number) => publicationOf(week).asOf;

/**
 * Four publications at once, of two weeks and by two versions of the code, round after round in one store; the chain.
 */
async function race(rounds: number, open: () => ObjectStore): Promise<string[]> {
  const stores = Array.from({ length: 4 }, open);
  await publishSnapshot(stores[0]!, publicationOf(0));
  for (let round = 0; round < rounds; round += 1) {
    const weeks = [2 * round + 1, 2 * round + 2];
    const before = await wholeChain(stores[0]!);
    const published = await Promise.all(
      stores.map((store, job) => {
        const week = weeks[job % 2]!;
        return publishSnapshot(store, publicationOf(week, { codeVersion: `1.0.${job >> 1}` }));
      }),
    );
    expect(published.filter(({ isNew }) => isNew)).toHaveLength(2);
    const chain = await wholeChain(stores[0]!);
    expect(chain.slice(2)).toEqual(before);
    expect(chain.slice(0, 2).toSorted()).toEqual(weeks.map(asOf).toSorted());
  }
  await expectExplained(stores[0]!);
  return await wholeChain(stores[0]!);
}

const program = fileURLToPath(new URL('./publish.program.ts', import.meta.url));

async function publishInProcess(location: string, week: number): Promise<void> {
  const child = spawn(process.execPath, [program, location, String(week), '5'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = (await once(child, 'exit')) as unknown[];
  expect(status).toBe(0);
}

describe('publications of one workspace at once', () => {
  test('are each in the chain once and complete', async () => {
    const folder = await temporaryFolder();
    expect(await race(40, () => directoryStore(folder))).toHaveLength(81);
  });

  test('are all in the chain, from separate processes', async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder);
    for (let round = 0; round < 5; round += 1) {
      const weeks = [3 * round, 3 * round, 3 * round + 1, 3 * round + 2];
      await Promise.all(weeks.map((week) => publishInProcess(folder, week)));
      const chain = await wholeChain(store);
      expect(chain.slice(0, 3).toSorted()).toEqual(weeks.slice(1).map(asOf).toSorted());
      expect(chain).toHaveLength(3 * round + 3);
    }
    await expectExplained(store);
  });

  test('cannot damage a snapshot that another one published while they were paused at any step', async () => {
    const folder = await temporaryFolder();
    const publishedOnce = async (round: number) => {
      const store = directoryStore(join(folder, String(round)));
      await publishSnapshot(store, publicationOf(0));
      return store;
    };
    await expectAtEachStep('before', publishedOnce, {
      work: async (store) => await publishSnapshot(store, publicationOf(2, { codeVersion: '1.0.0' })),
      async other(store) {
        await publishSnapshot(store, publicationOf(1));
        await publishSnapshot(store, publicationOf(2, { codeVersion: '2.0.0' }));
      },
      async check(store, hasOtherRun) {
        const chain = await wholeChain(store);
        expect(chain.toSorted()).toEqual((hasOtherRun ? [0, 1, 2] : [0, 2]).map(asOf));
        await expectExplained(store);
      },
    });
  });

  test('may be the first ones, and one of them complete between any two steps of the other', async () => {
    const folder = await temporaryFolder();
    await expectAtEachStep('after', async (round) => directoryStore(join(folder, String(round))), {
      work: async (store) => await publishSnapshot(store, publicationOf(1)),
      other: async (store) => await publishSnapshot(store, publicationOf(0)),
      async check(store, hasOtherRun) {
        expect((await wholeChain(store)).toSorted()).toEqual((hasOtherRun ? [0, 1] : [1]).map(asOf));
        await expectExplained(store);
      },
    });
  });

  test('do not replace an existing manifest.json, and readers find theirs next to it', async () => {
    const store = directoryStore(await temporaryFolder());
    await publishSnapshot(store, publicationOf(0));
    const { snapshotId } = await publishSnapshot(directoryStore(await temporaryFolder()), publicationOf(2));
    const key = manifestKey(workspaceId, snapshotId);
    const dying = interposedStore(store, {
      before({ method, key: written }) {
        if (method === 'swap' && written === pointerKey(workspaceId)) throw new Error('died');
      },
    });
    await expect(publishSnapshot(dying, publicationOf(2))).rejects.toThrow('died');
    const left = await store.get(key);
    await publishSnapshot(store, publicationOf(1));
    await publishSnapshot(store, publicationOf(2));
    expect((await store.get(key))!.bytes).toEqual(left!.bytes);
    expect(await wholeSnapshot(store)).toBe(asOf(2));
    expect(await wholeChain(store)).toEqual([2, 1, 0].map(asOf));
    await expectExplained(store);
  });
});

describeS3('publications of one workspace at once, on S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  test('are each in the chain once and complete', async () => {
    expect(await race(8, () => bucket.store('race'))).toHaveLength(17);
  });
});
