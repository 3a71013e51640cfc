import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { keysOf, workspaceIds } from '../snapshots/history.ts';
import { publishWeek, testLog } from '../snapshots/publish.ts';
import type { TestLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { script, settingsFolder } from './scripts.ts';

const exec = promisify(execFile);
const [workspaceId] = workspaceIds;
const sorted = (names: readonly string[]) => names.toSorted();

type Machine = TestLog & {
  state: string;
  copies: string;
  settings: string;
  copy: () => Promise<void>;
};

/** A folder in memory, which is another device than that of temporary files. */
async function folderOnAnotherDisk(): Promise<string> {
  const folder = await mkdtemp('/dev/shm/sightline-copies-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect((await stat(folder)).dev).not.toBe((await stat(tmpdir())).dev);
  return folder;
}

/** A machine with two published weeks, a backup of the records, and a folder for copies on another disk. */
async function machine(): Promise<Machine> {
  const state = await temporaryFolder();
  const copies = await folderOnAnotherDisk();
  for (const folder of ['backups', 'verify']) await mkdir(join(state, folder));
  const log = await testLog(state);
  await publishWeek(log, workspaceId, '2026-11-09');
  await publishWeek(log, workspaceId, '2026-11-16');
  await writeFile(join(state, 'lake/lake.txt'), 'a lake');
  await writeFile(join(state, 'backups/records-20260101T030000Z.db'), 'records');
  await writeFile(join(state, 'verify/checkpoint'), 'a checkpoint');
  const SETTINGS_FOLDER = await settingsFolder({
    sightline: { STORE_URL: `file:${log.store.url}` },
    job: { LAKE_URL: join(state, 'lake'), BACKUP_URL: copies, AWS_SECRET_ACCESS_KEY: 'secret' },
    gateway: { RECORDS_URL: 'postgres://sightline:hunter2@db.example/sightline' },
  });
  await writeFile(join(SETTINGS_FOLDER, 'public.pem'), 'a public key');
  const copy = async () => await script('copy-data', { SETTINGS_FOLDER, STATE_FOLDER: state });
  return { ...log, state, copies, settings: SETTINGS_FOLDER, copy };
}

describeWith(['rclone'], 'copy-data', () => {
  test('copies folders, then only what is new, deletes nothing, and keeps what it replaces', async () => {
    const { store, lake, copies, copy, ...log } = await machine();
    await copy();
    const copied = directoryStore(join(copies, 'store'));
    expect(await keysOf(copied)).toEqual(await keysOf(store));
    expect(await keysOf(directoryStore(join(copies, 'lake')))).toEqual(await keysOf(lake));
    expect(await readdir(join(copies, 'records'))).toEqual(['records-20260101T030000Z.db']);

    const before = (await store.get(CHECKPOINT_KEY))!.bytes;
    await publishWeek({ store, lake, ...log }, workspaceId, '2026-11-23');
    const [lost] = await keysOf(store);
    await store.delete(lost!);
    await copy();
    expect(await keysOf(copied)).toEqual([lost, ...(await keysOf(store))]); // it was the first
    expect((await copied.get(CHECKPOINT_KEY))!.bytes).toEqual((await store.get(CHECKPOINT_KEY))!.bytes);
    const [time] = await readdir(join(copies, 'replaced'));
    expect(await readFile(join(copies, 'replaced', time!, 'store', CHECKPOINT_KEY))).toEqual(before);
  });

  test('copies the settings that all users can read, the public key and the last checkpoint, but nothing secret', async () => {
    const { copies, copy } = await machine();
    await copy();
    expect(sorted(await readdir(join(copies, 'settings')))).toEqual([
      'checkpoint',
      'public.pem',
      'sightline.env',
    ]);
    const secrets = [
      '--recursive',
      '--files-with-matches',
      '-e',
      'PRIVATE KEY',
      '-e',
      'hunter2',
      '-e',
      'SECRET',
    ];
    await expect(exec('grep', [...secrets, copies])).rejects.toMatchObject({ code: 1, stdout: '' });
  });

  test('says in the copy when the last one that succeeded began', async () => {
    const { copies, state, copy } = await machine();
    await copy();
    const first = await readFile(join(copies, 'copied'), 'utf8');
    expect(first).toMatch(/^\d{8}T\d{6}Z\n$/);
    await rm(join(state, 'backups'), { recursive: true });
    await expect(copy()).rejects.toThrow('not found');
    expect(await readFile(join(copies, 'copied'), 'utf8')).toBe(first);
  });

  test.each([
    [
      'the disk of the copies is not mounted: they would be on the disk of the store',
      async ({ settings, state }: Machine) =>
        await appendFile(join(settings, 'job.env'), `BACKUP_URL=${join(state, 'copies')}\n`),
      /is on the same disk as .*store, and would be lost with it/,
    ],
    [
      'the disk of the store is not mounted',
      async ({ state }: Machine) => {
        await rm(join(state, 'store'), { recursive: true });
        await mkdir(join(state, 'store'));
      },
      /store has no log\/checkpoint, but something was published/,
    ],
    [
      'the disk of the lake is not mounted',
      async ({ state }: Machine) => {
        await rm(join(state, 'lake'), { recursive: true });
        await mkdir(join(state, 'lake'));
      },
      /there is no lake at .*lake \(no lake.txt\)/,
    ],
  ])('copies nothing if %s', async (_what, harm, complaint) => {
    const harmed = await machine();
    await harm(harmed);
    await expect(harmed.copy()).rejects.toThrow(complaint);
    expect(await readdir(harmed.copies)).toEqual([]);
    expect(await readdir(harmed.state)).not.toContain('copies');
  });

  test('copies a lake in which nothing was published yet', async () => {
    const { state, copies, copy } = await machine();
    for (const folder of ['store', 'lake/log']) await rm(join(state, folder), { recursive: true });
    await mkdir(join(state, 'store'));
    await copy();
    expect(await readdir(join(copies, 'lake'))).toContain('lake.txt');
  });
});

/** The time in the name of a drop. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
/** Runs the script on drops with these names. */
const removeDrops = async (job: Record<string, string>, names: readonly string[]) => {
  const incoming = await temporaryFolder();
  for (const name of names) await mkdir(join(incoming, name));
  for (const name of names) await writeFile(join(incoming, name, 'runs.ndjson'), '');
  const SETTINGS_FOLDER = await settingsFolder({ job });
  const ended = script('remove-drops', { SETTINGS_FOLDER }, incoming);
  return { ended, left: async () => sorted(await readdir(incoming)) };
};

describe('remove-drops', () => {
  test('removes what was ingested more than 35 days ago, or KEEP_DROPS_DAYS, and no other drop', async () => {
    const [old, middle, young] = [36, 34, 1].map((days) => `2026-01-01.ingested.${daysAgo(days)}`);
    const others = ['2026-01-01', `2026-01-02.failed.${daysAgo(99)}`, 'coming'];
    const usual = await removeDrops({}, [...others, old!, middle!, young!]);
    await usual.ended;
    expect(await usual.left()).toEqual(sorted([...others, middle!, young!]));
    const short = await removeDrops({ KEEP_DROPS_DAYS: '2' }, [...others, old!, middle!, young!]);
    await short.ended;
    expect(await short.left()).toEqual(sorted([...others, young!]));
  });

  test.each(['0', '-1', 'a month'])('removes nothing if KEEP_DROPS_DAYS is %s', async (KEEP_DROPS_DAYS) => {
    const drop = `2026-01-01.ingested.${daysAgo(99)}`;
    const { ended, left } = await removeDrops({ KEEP_DROPS_DAYS }, [drop]);
    await expect(ended).rejects.toMatchObject({ code: 2 });
    expect(await left()).toEqual([drop]);
  });
});
