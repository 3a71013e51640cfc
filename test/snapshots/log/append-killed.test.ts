import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { keysOf, makeTestKeys } from '../history.ts';
import type { Keys } from '../history.ts';
import { ORIGIN, histories, publishedOf, verifiedLog } from './histories.ts';

const newFolder = temporaryFolders();

const program = fileURLToPath(new URL('./append.program.ts', import.meta.url));

interface Place {
  storeUrl: string;
  lakeUrl: string;
  store: ObjectStore;
  lake: ObjectStore;
}

let keys: Keys;
beforeAll(async () => {
  keys = await makeTestKeys(await newFolder(), 'log');
});

async function append({ store, lake }: Place, weeks: readonly number[]) {
  const { signer, trust } = keys;
  return await appendToLog({ store, lake, origin: ORIGIN, signer, trust, histories: () => histories(weeks) });
}

async function appendInProcess(place: Place, weeks: readonly number[], ...dying: string[]): Promise<boolean> {
  const args = [program, place.storeUrl, place.lakeUrl, keys.privateKey, weeks.join(','), ...dying];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status, signal] = (await once(child, 'exit')) as unknown[];
  expect([0, 'SIGKILL']).toContain(signal ?? status);
  return signal === 'SIGKILL';
}

/** Asserts that a reader sees a complete log, whatever the newest head is. */
async function expectWhole({ store }: Place, weeks: readonly number[]): Promise<number> {
  const seen = { seen: [], policy: null, trust: keys.trust };
  const report = await verifiedLog(store, { ...seen, published: publishedOf(weeks) });
  expect(report.problems.filter(({ kind }) => kind !== 'published_not_logged')).toEqual([]);
  return report.entries;
}

const [before, after] = [
  [255, 1],
  [257, 3],
];

/** The state before a step is the state after the previous one, so each step is killed once. */
async function killEverywhere(open: (name: string) => Place): Promise<number> {
  let steps = 0;
  for (let died = true; died; steps += 1) {
    const place = open(String(steps));
    await append(place, before);
    died = await appendInProcess(place, after, String(steps + 1));
    expect([256, 260]).toContain(await expectWhole(place, after));
    await append(place, after);
    expect(await expectWhole(place, after)).toBe(260);
  }
  return steps;
}

const processes = [
  [260, 1],
  [1, 300],
  [260, 300],
  [200, 200, 5],
];

/** Four processes append concurrently; the log must then contain every entry once. */
async function expectOneLog(place: Place): Promise<void> {
  await Promise.all(processes.map((weeks) => appendInProcess(place, weeks)));
  const all = [260, 300, 5];
  await append(place, all);
  expect(await expectWhole(place, all)).toBe(565);
  expect((await readCheckpoint(place.store))!.size).toBe(565);
  const staged = (await keysOf(place.lake)).filter((key) => key.startsWith('log/staged/'));
  expect(staged).toHaveLength(1);
}

async function inFolder(): Promise<(name: string) => Place> {
  const folder = await temporaryFolder();
  return (name) => {
    const [storeUrl, lakeUrl] = [join(folder, name, 'store'), join(folder, name, 'lake')];
    return { storeUrl, lakeUrl, store: directoryStore(storeUrl), lake: directoryStore(lakeUrl) };
  };
}

describe('an append to a folder', () => {
  test('that is killed at any step leaves a whole log, and the next append completes it', async () => {
    expect(await killEverywhere(await inFolder())).toBeGreaterThan(10);
  });

  test('of which four run at once leaves one log with every entry once', async () => {
    await expectOneLog((await inFolder())('race'));
  });
});

describeS3('an append to S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  const open = (name: string): Place => ({
    storeUrl: bucket.location(`${name}-store`).url,
    lakeUrl: bucket.location(`${name}-lake`).url,
    store: bucket.store(`${name}-store`),
    lake: bucket.store(`${name}-lake`),
  });

  test('that is killed at any step leaves a whole log, and the next append completes it', async () => {
    expect(await killEverywhere(open)).toBeGreaterThan(10);
  });

  test('of which four run at once leaves one log with every entry once', async () => {
    await expectOneLog(open('race'));
  });
});
