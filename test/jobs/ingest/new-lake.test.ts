import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { deliver, publish, settingsOf } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { ids, sound, tracked, writeDrop } from '../records.ts';

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
  const newFolder = temporaryFolders();
  let folder: string;
  let settings: Record<string, string>;

  beforeAll(async () => {
    folder = await newFolder();
    const [lake, published] = [join(folder, 'lake'), join(folder, 'store')];
    await deliver(lake, { folder: await writeDrop(join(folder, 'drop'), tracked), date: '2026-11-16' });
    await publish(lake, published, AS_OF);
    settings = { ...settingsOf(published), STORE_URL: published, LAKE_URL: lake };
    await writeFile(join(folder, 'next.pem'), settings['SIGNING_KEY']!);
    await writeFile(join(folder, 'manifest.json'), '{}');
  });

  test.each(commands)('%s %s refuses with status 3, and writes nothing', async (program, line) => {
    for (const isThere of [false, true]) {
      await rm(join(folder, 'lake'), { recursive: true, force: true });
      if (isThere) await mkdir(join(folder, 'lake'));
      const before = await filesBelow(folder);
      expect(await runHere(program, line.split(' '), { folder, settings })).toEqual(REFUSED);
      expect(await filesBelow(folder)).toEqual(before);
    }
  });
});
