import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysOf, workspaceIds } from '../snapshots/history.ts';
import { publishWeek, testLog } from '../snapshots/publish.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { runHere } from '../support/command-line.ts';
import { describeWith } from '../support/requires.ts';
import { describeS3, makeBucket } from '../support/s3-server.ts';
import type { TestBucket } from '../support/s3-server.ts';
import { script, settingsFolder } from './scripts.ts';
import { containersOf, render, settingsOf } from './kubernetes/manifests.ts';

const exec = promisify(execFile);
const [workspaceId] = workspaceIds;
const newFolder = temporaryFolders();

/** Debian's PostgreSQL, until its input ends: its pg_dump refuses servers of later versions. */
async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const wait = 'echo "postgres://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/postgres" >&3; exec cat';
  const child = spawn('pg_virtualenv', ['-o', 'fsync=off', 'sh', '-c', wait], {
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [url] = (await once(child.stdio[3]!, 'data')) as [Buffer];
  const stop = async () => {
    child.stdin!.end();
    await ended;
  };
  return { url: url.toString().trim(), stop };
}

/** The names of the workspaces in a dump. */
async function workspacesIn(dump: string): Promise<string> {
  const { stdout } = await exec('pg_restore', ['--data-only', '--table=workspaces', '--file=-', dump]);
  return stdout;
}

describeWith(['pg_dump', 'kubectl', 'rclone'], 'backups', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
    const set = ['workspace', 'set', workspaceId, '--name', 'Halden', '--plan', 'agency'];
    const settings = { RECORDS_URL: postgres.url };
    await runHere('records', set, { settings });
  });
  afterAll(() => postgres.stop());

  test('backup-records dumps PostgreSQL so that it can be restored, for the group to read, and keeps the newest; it removes none if the server does not respond', async () => {
    const folder = await temporaryFolder();
    const older = ['01', '02', '03'].map((day) => `records-202601${day}T030000Z.db`);
    for (const name of older) await writeFile(join(folder, name), '');
    const backUp = async (RECORDS_URL: string) => {
      const SETTINGS_FOLDER = await settingsFolder({ gateway: { RECORDS_URL } });
      await script('backup-records', { SETTINGS_FOLDER }, folder, '2');
    };
    await expect(backUp('postgres://sightline:hunter2@127.0.0.1:1/postgres')).rejects.toThrow('refused');
    expect((await readdir(folder)).toSorted()).toEqual(older);
    await backUp(postgres.url);
    const [kept, dump, ...others] = (await readdir(folder)).toSorted();
    expect([kept, others]).toEqual([older[2], []]);
    expect(dump).toMatch(/^records-\d{8}T\d{6}Z\.dump$/);
    expect(await workspacesIn(join(folder, dump!))).toContain(`${workspaceId}\tHalden`);
    expect((await stat(join(folder, dump!))).mode & 0o777).toBe(0o640);
  });

  describeS3('on S3', () => {
    let bucket: TestBucket;
    beforeAll(async () => {
      bucket = await makeBucket();
      const log = {
        ...(await testLog(await newFolder())),
        store: bucket.store('store'),
        lake: bucket.store('lake'),
      };
      await publishWeek(log, workspaceId, '2026-11-16');
      await bucket.store('lake').create('lake.txt', Buffer.from('a lake'));
    });
    afterAll(() => bucket.remove());
    const expectCopy = async (prefix: string) => {
      for (const part of ['store', 'lake'])
        expect(await keysOf(bucket.store(`${prefix}/${part}`))).toEqual(await keysOf(bucket.store(part)));
    };

    test('copy-data copies a bucket to another place in S3, with the credentials of the jobs', async () => {
      const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...server } = bucket.environment;
      const credentials = {
        AWS_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID!,
        AWS_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY!,
      };
      const [LAKE_URL, BACKUP_URL] = [bucket.location('lake').url, bucket.location('copied').url];
      const SETTINGS_FOLDER = await settingsFolder({
        sightline: { STORE_URL: bucket.location('store').url, ...server },
        job: { LAKE_URL, BACKUP_URL, ...credentials },
      });
      const STATE_FOLDER = await temporaryFolder();
      for (const folder of ['backups', 'verify']) await mkdir(join(STATE_FOLDER, folder));
      await script('copy-data', { SETTINGS_FOLDER, STATE_FOLDER });
      await expectCopy('copied');
    });

    test('the commands of the CronJob dump the records, and copy dump, store and lake', async () => {
      const manifests = await render('base');
      const tmp = await temporaryFolder();
      const CA_FILE = join(tmp, 'ca.pem');
      await writeFile(CA_FILE, '# none');
      const { S3_ENDPOINT, AWS_REGION, ...credentials } = bucket.environment;
      const here: Record<string, string> = {
        ...credentials,
        CA_FILE,
        RECORDS_URL: postgres.url,
        STORE_URL: bucket.location('store').url,
        LAKE_URL: bucket.location('lake').url,
        BACKUP_URL: bucket.location('nightly').url,
        RCLONE_S3_ENDPOINT: S3_ENDPOINT!,
        RCLONE_S3_PROVIDER: 'Other',
        RCLONE_S3_REGION: AWS_REGION!,
      };
      for (const { container } of containersOf(manifests).filter(({ of }) => of === 'sightline-backup')) {
        const [program, ...args] = container.command!.map((text) => text.replaceAll('/tmp', tmp));
        const env = { PATH: process.env['PATH'], ...settingsOf(manifests, container), ...here };
        await exec(program!, args, { env });
      }
      await expectCopy('nightly');
      const dump = (await readdir(tmp)).find((name) => name.endsWith('.dump'));
      expect(await workspacesIn(join(tmp, dump!))).toContain('Halden');
      expect(await keysOf(bucket.store('nightly/records'))).toContain(dump);
    });
  });
});
