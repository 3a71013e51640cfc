import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import { deliver, publish, settingsOf } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { ids, sound, tracked } from '../records.ts';

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
const job = async (args: string[], settings: Record<string, string> = {}) =>
  await runHere('job', args, { folder: given.folder, settings });
const ingest = async (lake: string, settings: Record<string, string> = {}, ...more: string[]) =>
  await job(['ingest', '--from', drop, '--lake', lake, '--date', '2026-11-16', ...more], settings);

const REFUSED = {
  status: 3,
  stdout: '',
  stderr: expect.stringMatching(
    /^sightline: there is no lake at \S+ \(no lake\.txt\): is its disk mounted\? "job ingest --new-lake" makes a new one\n$/,
  ) as string,
};

describe('an empty place', () => {
  test.each(['is there', 'is not there'])('that %s becomes a lake with the first delivery', async (which) => {
    const lake = join(given.folder, 'first');
    if (which === 'is there') await mkdir(lake);
    expect(await ingest(lake, { STORE_URL: store })).toMatchObject({ status: 0 });
    expect(await readFile(join(lake, 'lake.txt'), 'utf8')).toContain('lake');
    expect(await job(['remove', '--workspace', ids.workspace, '--lake', lake])).toMatchObject({ status: 1 });
  });

  test('does not, if STORE_URL has a log: a disk may not be mounted', async () => {
    await publish(given.lake, store, AS_OF);
    await rm(given.lake, { recursive: true });
    for (const isThere of [false, true]) {
      if (isThere) await mkdir(given.lake);
      expect(await ingest(given.lake, { STORE_URL: store })).toEqual(REFUSED);
      expect(await filesBelow(given.lake)).toEqual([]);
    }
  });

  test('does not, if it is the default lake and the default store has a log', async () => {
    await publish(given.lake, join(given.folder, '.data/store'), AS_OF);
    expect(await job(['ingest', '--from', drop])).toEqual(REFUSED);
    expect(await filesBelow(join(given.folder, '.data/lake'))).toEqual([]);
    // Of another lake nobody knows the store.
    expect(await ingest(join(given.folder, 'other'))).toMatchObject({ status: 0 });
  });

  test('becomes one with --new-lake, once, with a drop or without', async () => {
    await publish(given.lake, store, AS_OF);
    const lake = join(given.folder, 'new');
    const settings = { STORE_URL: store };
    for (let times = 0; times < 2; times += 1)
      expect(await job(['ingest', '--new-lake', '--lake', lake], settings)).toEqual({
        status: 0,
        stdout: `${lake} is a lake.\n`,
        stderr: '',
      });
    expect(await filesBelow(lake)).toEqual([join(lake, 'lake.txt')]);
    expect(await ingest(lake, settings)).toMatchObject({ status: 0 });
    expect(await ingest(join(given.folder, 'newer'), settings, '--new-lake')).toMatchObject({ status: 0 });
    expect(await job(['ingest', '--lake', lake])).toMatchObject({ status: 2 });
  });
});

test('a place with other files becomes a lake with --new-lake only, such as a lake that lost its mark', async () => {
  await rm(join(given.lake, 'lake.txt'));
  const before = await filesBelow(given.lake);
  expect(await ingest(given.lake, { STORE_URL: store })).toEqual(REFUSED);
  expect(await filesBelow(given.lake)).toEqual(before);
  expect(await job(['ingest', '--new-lake', '--lake', given.lake])).toMatchObject({ status: 0 });
  await deliver(given.lake, { folder: drop, date: '2026-11-16' });
  expect(await given.brandNames()).toHaveLength(1);
});

/** Every command that reads or writes a lake, with what it needs besides. */
const commands: ['job' | 'audit', string][] = [
  ['job', 'weekly'],
  ['job', 'schedule'],
  ['job', `remove --workspace ${ids.workspace} --yes`],
  ['job', 'recompute --manifest manifest.json --store out'],
  ['job', 'objects'],
  ['audit', 'rebuild'],
  ['audit', 'prune --keep 1 --yes'],
  ['audit', `withdraw current --workspace ${ids.workspace} --reason mistaken`],
  ['audit', 'rotate --to next.pem'],
  ['audit', 'log complete'],
  ['audit', 'log complete --from-store --lake-is-lost'],
];

describe('without the mark of a lake', () => {
  test.each(commands)('%s %s refuses with status 3, and writes nothing', async (program, line) => {
    await publish(given.lake, store, AS_OF);
    const keys = settingsOf(store);
    const settings = { ...keys, STORE_URL: store, LAKE_URL: given.lake };
    await writeFile(join(given.folder, 'next.pem'), keys['SIGNING_KEY']!);
    await writeFile(join(given.folder, 'manifest.json'), '{}');
    await rm(given.lake, { recursive: true });
    const before = await filesBelow(given.folder);
    const run = async () => await runHere(program, line.split(' '), { folder: given.folder, settings });
    expect(await run()).toEqual(REFUSED);
    await mkdir(given.lake);
    expect(await run()).toEqual(REFUSED);
    expect(await filesBelow(given.folder)).toEqual(before);
  });
});

describeS3('in a bucket', () => {
  test('a prefix becomes a lake with the first delivery, and not if the store has a log', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const at = (name: string) => bucket.location(name).url;
    const settings = { ...bucket.environment, STORE_URL: store };
    expect(await job(['weekly', '--lake', at('first')], { ...settingsOf(store), ...settings })).toEqual(
      REFUSED,
    );
    expect(await ingest(at('first'), settings)).toMatchObject({ status: 0 });
    expect(await ingest(at('first'), settings)).toMatchObject({ status: 0 });
    await publish(given.lake, store, AS_OF);
    expect(await ingest(at('second'), settings)).toEqual(REFUSED);
    expect(await Array.fromAsync(bucket.store('second').list(''))).toEqual([]);
    expect(await ingest(at('second'), settings, '--new-lake')).toMatchObject({ status: 0 });
  });
});
