/** @module-tag slow */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { publish, settingsOf } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { ids, sound, tracked } from '../records.ts';

/* A lake and a store with a log of its own, at the places of the settings. */
const newLake = lakeWith(async ({ ingested }) => await ingested(tracked));
let given: TestLake;
let store: string;
let drop: string;
beforeEach(async () => {
  given = await newLake();
  store = join(given.folder, 'store');
  drop = await given.dropOf({ 'runs.ndjson': [sound.runs()] });
});

/** Runs in the test's folder, so that the default lake and store are below it. */
const job = async (args: string[], settings: Record<string, string> = { STORE_URL: store }) =>
  await runHere('job', args, { folder: given.folder, settings });
const ingest = async (lake: string, settings?: Record<string, string>) =>
  await job(['ingest', '--from', drop, '--lake', lake, '--date', '2026-11-16'], settings);
const makeLake = async (lake: string) => await job(['ingest', '--new-lake', '--lake', lake]);

const REFUSED = {
  status: 3,
  stdout: '',
  stderr: expect.stringMatching(
    /^sightline: there is no lake at \S+ \(no lake\.txt\): is its disk mounted\? "job ingest --new-lake" makes a new one\n$/,
  ) as string,
};

test('an empty place does not become a lake if the store has a log, until --new-lake, with a drop or without: a disk may not be mounted', async () => {
  await publish(given.lake, store, AS_OF);
  await rm(given.lake, { recursive: true });
  for (const isThere of [false, true]) {
    if (isThere) await mkdir(given.lake);
    expect(await ingest(given.lake)).toEqual(REFUSED);
    expect(await filesBelow(given.lake)).toEqual([]);
  }
  for (let times = 0; times < 2; times += 1)
    expect(await makeLake(given.lake)).toEqual({
      status: 0,
      stdout: `${given.lake} is a lake.\n`,
      stderr: '',
    });
  expect(await ingest(given.lake)).toMatchObject({ status: 0 });
  const newer = ['ingest', '--from', drop, '--lake', join(given.folder, 'newer'), '--new-lake'];
  expect(await job(newer)).toMatchObject({ status: 0 });
  expect(await job(['ingest', '--lake', given.lake])).toMatchObject({ status: 2 });
});

test('the default place does not become a lake if the default store has a log; of another lake nobody knows the store', async () => {
  await publish(given.lake, join(given.folder, '.data/store'), AS_OF);
  expect(await job(['ingest', '--from', drop], {})).toEqual(REFUSED);
  expect(await filesBelow(join(given.folder, '.data/lake'))).toEqual([]);
  expect(await ingest(join(given.folder, 'other'), {})).toMatchObject({ status: 0 });
});

test('a place with other files becomes a lake with --new-lake only, such as a lake that lost its mark', async () => {
  await rm(join(given.lake, 'lake.txt'));
  const before = await filesBelow(given.lake);
  expect(await ingest(given.lake)).toEqual(REFUSED);
  expect(await filesBelow(given.lake)).toEqual(before);
  expect(await makeLake(given.lake)).toMatchObject({ status: 0 });
  expect(await ingest(given.lake)).toMatchObject({ status: 0 });
  expect(await given.brandNames()).toHaveLength(1);
});

test('every command that reads or writes a lake refuses a place without its mark with status 3, and writes nothing', async () => {
  await publish(given.lake, store, AS_OF);
  const settings: Record<string, string> = { ...settingsOf(store), STORE_URL: store, LAKE_URL: given.lake };
  await writeFile(join(given.folder, 'next.pem'), settings['SIGNING_KEY']!);
  await writeFile(join(given.folder, 'manifest.json'), '{}');
  await rm(given.lake, { recursive: true });
  await mkdir(given.lake);
  const before = await filesBelow(given.folder);
  for (const line of [
    'job weekly',
    'job schedule',
    `job remove --workspace ${ids.workspace} --yes`,
    'job recompute --manifest manifest.json --store out',
    'job objects',
    'audit rebuild',
    'audit prune --keep 1 --yes',
    `audit withdraw current --workspace ${ids.workspace} --reason mistaken`,
    'audit rotate --to next.pem',
    'audit log complete',
    'audit log complete --from-store --lake-is-lost',
  ]) {
    const [program, ...args] = line.split(' ') as ['job' | 'audit', ...string[]];
    const ended = await runHere(program, args, { folder: given.folder, settings });
    expect({ line, ...ended }).toEqual({ line, ...REFUSED });
    expect(await filesBelow(given.folder)).toEqual(before);
  }
});
