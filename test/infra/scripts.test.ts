import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { root } from '../docs/pages.ts';
import { keysOf, workspaceIds } from '../snapshots/history.ts';
import { publishWeek, testLog } from '../snapshots/publish.ts';
import type { TestLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { script, settingsFolder } from './scripts.ts';

const [workspaceId] = workspaceIds;

describeWith(['shellcheck'], 'shellcheck', () => {
  test('finds nothing wrong with the scripts', async () => {
    const { stdout: found } = await promisify(execFile)('git', ['grep', '-l', '^#!/bin/sh', '--', 'infra'], {
      cwd: root,
    });
    const paths = found.trim().split('\n');
    expect(paths.length).toBeGreaterThan(7);
    const checked = await promisify(execFile)('shellcheck', ['--shell=sh', ...paths], { cwd: root });
    expect(checked).toMatchObject({ stdout: '' });
  });
});

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

/** A machine with published weeks, a backup of the records, and a folder for copies on another disk. */
async function machine(...weeks: string[]): Promise<Machine> {
  const state = await temporaryFolder();
  const copies = await folderOnAnotherDisk();
  for (const folder of ['backups', 'verify', 'store', 'lake']) await mkdir(join(state, folder));
  const log = await testLog(state);
  for (const week of weeks) await publishWeek(log, workspaceId, week);
  await writeFile(join(state, 'lake/lake.txt'), 'a lake');
  await writeFile(join(state, 'backups/records-20260101T030000Z.db'), 'records');
  const SETTINGS_FOLDER = await settingsFolder({
    sightline: { STORE_URL: `file:${log.store.url}` },
    job: { LAKE_URL: join(state, 'lake'), BACKUP_URL: copies },
  });
  const copy = async () => await script('copy-data', { SETTINGS_FOLDER, STATE_FOLDER: state });
  return { ...log, state, copies, settings: SETTINGS_FOLDER, copy };
}

/** The disk of a folder is not mounted. */
const unmount = async (folder: string) => {
  await rm(folder, { recursive: true });
  await mkdir(folder);
};

describeWith(['rclone'], 'copy-data', () => {
  test('copies folders, then only what is new, deletes nothing, and keeps what it replaces', async () => {
    const { store, lake, copies, copy, ...log } = await machine('2026-11-09', '2026-11-16');
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

  test.each<[string, (machine: Machine) => Promise<void>, RegExp]>([
    [
      'the disk of the copies is not mounted: they would be on the disk of the store',
      async ({ settings, state }) =>
        await appendFile(join(settings, 'job.env'), `BACKUP_URL=${join(state, 'copies')}\n`),
      /is on the same disk as .*store, and would be lost with it/,
    ],
    [
      'the disk of the store is not mounted',
      async ({ state }) => await unmount(join(state, 'store')),
      /store has no log\/checkpoint, but something was published/,
    ],
    [
      'the disk of the lake is not mounted',
      async ({ state }) => await unmount(join(state, 'lake')),
      /there is no lake at .*lake \(no lake.txt\)/,
    ],
  ])('copies nothing if %s', async (_what, harm, complaint) => {
    const harmed = await machine('2026-11-09');
    await harm(harmed);
    await expect(harmed.copy()).rejects.toThrow(complaint);
    expect(await readdir(harmed.copies)).toEqual([]);
    expect(await readdir(harmed.state)).not.toContain('copies');
  });

  test('copies a lake in which nothing was published yet, and says when the last copy that succeeded began', async () => {
    const { state, copies, copy } = await machine();
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

test('remove-drops removes what was ingested more than KEEP_DROPS_DAYS ago, and nothing if that is no number of days', async () => {
  const incoming = await temporaryFolder();
  const [old, fresh] = [3, 1].map((days) => `2026-01-01.ingested.${daysAgo(days)}`) as [string, string];
  const others = ['2026-01-01', `2026-01-02.failed.${daysAgo(99)}`, 'coming', fresh];
  for (const name of [...others, old]) await mkdir(join(incoming, name));
  const removeDrops = async (KEEP_DROPS_DAYS: string) => {
    const SETTINGS_FOLDER = await settingsFolder({ job: { KEEP_DROPS_DAYS } });
    await script('remove-drops', { SETTINGS_FOLDER }, incoming);
  };
  await expect(removeDrops('0')).rejects.toMatchObject({ code: 2 });
  await removeDrops(''); // 35
  expect(await readdir(incoming)).toContain(old);
  await removeDrops('2');
  expect((await readdir(incoming)).toSorted()).toEqual(others.toSorted());
});

const brand = {
  id: '11111111-1111-4111-8111-111111111111',
  workspace_id: '22222222-2222-4222-8222-222222222222',
  name: 'Acme',
  domain: 'acme.example',
  created_at: '2026-01-01T00:00:00Z',
};

/** What it does with refused drops, newcomer.ts tests on a machine. */
test('ingest-incoming leaves a drop while the lake cannot be reached or a setting is wrong, and ingests it afterwards', async () => {
  const incoming = await temporaryFolder();
  await mkdir(join(incoming, '2026-11-16'));
  await writeFile(join(incoming, '2026-11-16/brands.ndjson'), `${JSON.stringify(brand)}\n`);
  const ingest = async (settings: Record<string, string>) =>
    await script('ingest-incoming', settings, incoming);
  const away = {
    LAKE_URL: 's3://nowhere/lake',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  };
  await expect(ingest(away)).rejects.toMatchObject({ code: 3 });
  await expect(ingest({ LAKE_URL: 's3://sl/lake' })).rejects.toMatchObject({ code: 2 });
  expect(await readdir(incoming)).toEqual(['2026-11-16']);
  await ingest({ LAKE_URL: await temporaryFolder() });
  expect((await readdir(incoming)).toSorted()).toEqual([
    '.ingested',
    expect.stringMatching(/^2026-11-16\.ingested\.\d{8}T\d{6}Z$/),
  ]);
});
