import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { keysOf, workspaceIds } from '../snapshots/history.ts';
import { publishWeek, testLog } from '../snapshots/publish.ts';
import type { TestLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { script, settingsFolder } from './scripts.ts';

const [workspaceId] = workspaceIds;

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
    job: { LAKE_URL: join(state, 'lake'), BACKUP_URL: copies },
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

  test('copies a lake in which nothing was published yet, and says when the last copy that succeeded began', async () => {
    const { state, copies, copy } = await machine();
    for (const folder of ['store', 'lake/log']) await rm(join(state, folder), { recursive: true });
    await mkdir(join(state, 'store'));
    await copy();
    expect(await readdir(join(copies, 'lake'))).toContain('lake.txt');
    const first = await readFile(join(copies, 'copied'), 'utf8');
    expect(first).toMatch(/^\d{8}T\d{6}Z\n$/);
    await rm(join(state, 'backups'), { recursive: true });
    await expect(copy()).rejects.toThrow('not found');
    expect(await readFile(join(copies, 'copied'), 'utf8')).toBe(first);
  });
});

/** The time in the name of a drop. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(/[-:]|\.\d+/g, '');

describe('remove-drops', () => {
  test.each([
    ['35 days by default', {}, [36], [34, 1]],
    ['KEEP_DROPS_DAYS', { KEEP_DROPS_DAYS: '2' }, [36, 34], [1]],
    ['0 days, which is a mistake,', { KEEP_DROPS_DAYS: '0' }, [], [36, 34, 1]],
    ['a month, which is no number,', { KEEP_DROPS_DAYS: 'a month' }, [], [36, 34, 1]],
  ])('after %s it removes what was ingested before, and no other drop', async (_what, job, removed, kept) => {
    const incoming = await temporaryFolder();
    const ingested = (days: number) => `2026-01-01.ingested.${daysAgo(days)}`;
    const others = ['2026-01-01', `2026-01-02.failed.${daysAgo(99)}`, 'coming'];
    const [gone, left] = [removed.map(ingested), [...others, ...kept.map(ingested)]];
    for (const name of [...gone, ...left]) await mkdir(join(incoming, name));
    const SETTINGS_FOLDER = await settingsFolder({ job });
    const ended = await script('remove-drops', { SETTINGS_FOLDER }, incoming).then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
    expect(ended).toBe(removed.length === 0 ? 2 : 0);
    expect((await readdir(incoming)).toSorted()).toEqual(left.toSorted());
  });
});
