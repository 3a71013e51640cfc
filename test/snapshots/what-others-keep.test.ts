/** @module-tag long */
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { script, settingsFolder } from '../infra/scripts.ts';
import { runHere } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { describeS3, makeBucket } from '../support/s3-server.ts';
import { workspaceIds } from './history.ts';
import { publishWeek, testLog } from './publish.ts';
import type { TestLog } from './publish.ts';

/* docs/auditing.md: copies of a store, and "Against the operator". */

const [workspaceId] = workspaceIds;

test('a copy that began with the checkpoint is intact, whatever a job has published since', async () => {
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  await publishWeek(log, workspaceId, '2026-11-09');
  const { bytes } = (await log.store.get(CHECKPOINT_KEY))!;
  await publishWeek(log, workspaceId, '2026-11-16');
  await cp(join(folder, 'store'), join(folder, 'copy'), { recursive: true });
  await writeFile(join(folder, 'copy', CHECKPOINT_KEY), bytes);

  const { status, stdout } = await verify(folder, log, '--store', 'copy', '--json');
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { checked: { snapshots: 1 } }]);
});

const verify = async (folder: string, { keys }: TestLog, ...options: string[]) =>
  await runHere('audit', ['verify', ...options], {
    folder,
    settings: { PUBLIC_KEY_FILE: keys.publicKey, STORE_URL: 'store' },
  });

/** An authority for time stamps, as `openssl ts` wants it. */
const AUTHORITY = `
[tsa]
serial = serial
signer_cert = authority.pem
certs = authority.pem
signer_key = authority.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
`;

describeWith(['openssl'], 'a time stamp of an authority', () => {
  test('is valid for the checkpoint that was stamped, which the grown log continues, and for no other', async () => {
    const folder = await temporaryFolder();
    const openssl = async (line: string) =>
      await promisify(execFile)('openssl', line.split(' '), { cwd: folder });
    await writeFile(join(folder, 'tsa.cnf'), AUTHORITY);
    await writeFile(join(folder, 'serial'), '01');
    await openssl(
      'req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out authority.pem -subj /CN=authority -addext extendedKeyUsage=critical,timeStamping',
    );
    const log = await testLog(folder);
    const checkpointTo = async (name: string) =>
      await writeFile(join(folder, name), (await log.store.get(CHECKPOINT_KEY))!.bytes);
    const verifyReply = 'ts -verify -in stamped.tsr -CAfile authority.pem -data';
    await publishWeek(log, workspaceId, '2026-11-09');
    await checkpointTo('stamped');
    await openssl('ts -query -data stamped -sha256 -cert -out stamped.tsq');
    await openssl('ts -reply -config tsa.cnf -section tsa -queryfile stamped.tsq -out stamped.tsr');
    await publishWeek(log, workspaceId, '2026-11-16');
    await checkpointTo('newer');

    expect((await openssl(`${verifyReply} stamped`)).stdout).toContain('Verification: OK');
    await expect(openssl(`${verifyReply} newer`)).rejects.toMatchObject({ code: 1 });
    const { status, stdout } = await verify(folder, log, '--checkpoint', 'stamped');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Intact\.$/m)]);
  });
});

describeWith(['rclone'], 'copies in a bucket with Object Lock in compliance mode', () => {
  describeS3('on the S3 server', () => {
    test('every checkpoint that was ever copied can still be read, and nobody can delete it', async () => {
      const { environment, name } = await makeBucket();
      const Bucket = `${name}-locked`;
      const client = new S3Client({ endpoint: environment['S3_ENDPOINT']!, forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
      const Rule = { DefaultRetention: { Mode: 'COMPLIANCE', Days: 1 } } as const;
      const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const;
      await client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
      const folder = await temporaryFolder();
      for (const each of ['backups', 'verify']) await mkdir(join(folder, each));
      const log = await testLog(folder);
      const SETTINGS_FOLDER = await settingsFolder({
        sightline: { STORE_URL: `file:${join(folder, 'store')}` },
        job: { ...environment, LAKE_URL: join(folder, 'lake'), BACKUP_URL: `s3://${Bucket}` },
      });
      const shown: string[] = [];
      for (const week of ['2026-11-09', '2026-11-16']) {
        await publishWeek(log, workspaceId, week);
        shown.push((await log.store.get(CHECKPOINT_KEY))!.bytes.toString());
        await script('copy-data', { SETTINGS_FOLDER, STATE_FOLDER: folder });
      }

      const Key = `store/${CHECKPOINT_KEY}`;
      const { Versions } = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }));
      const kept: string[] = [];
      for (const { VersionId } of Versions!) {
        const version = { Bucket, Key, VersionId };
        const deleted = client.send(new DeleteObjectCommand(version));
        await expect(deleted).rejects.toMatchObject({ name: 'AccessDenied' });
        const { Body } = await client.send(new GetObjectCommand(version));
        kept.push(await Body!.transformToString());
      }
      expect(kept.toReversed()).toEqual(shown);
      client.destroy();
    });
  });
});
