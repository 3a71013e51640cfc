/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import { judgeRights } from '../../infra/doctor/records.ts';
import { openSession, startPostgres } from '../support/postgres.ts';
import type { Session, TestPostgres } from '../support/postgres.ts';
import { workspaceIds } from '../snapshots/history.ts';
import { ORIGIN, publishWeek, testLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeS3, makeBucket } from '../support/s3-server.ts';
import type { TestBucket } from '../support/s3-server.ts';
import { startServer } from '../support/http-server.ts';
import { doctor } from './installation.ts';

const examineRecords = async (url: string) => await doctor({ RECORDS_URL: url }, '--only', 'records');
const opened = async (url: string) => await openPostgresRecords(url, { maxWaitMs: 5000, batchesAtOnce: 1 });

describe('records in PostgreSQL', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function database(): Promise<{ url: string; session: Session }> {
    const url = await server.createDatabase();
    return { url, session: openSession(url) };
  }

  test('that are empty are reported, and stay empty', async () => {
    const { url, session } = await database();
    const { complaints, status } = await examineRecords(url);
    expect([complaints, status]).toEqual([['warning records: schema'], 0]);
    expect(await session.ask("select 1 from pg_namespace where nspname = 'sightline'")).toHaveLength(0);
    await session.end();
  });

  test('that are in order are reported with their clock', async () => {
    const { url, session } = await database();
    const records = await opened(url);
    const [id] = workspaceIds;
    await records.setWorkspace({ id, name: 'One', plan: 'agency', requestsPerMinute: null });
    await records.createKey(id, { hash: '0'.repeat(64), prefix: 'vis_00000000' }, null);
    await records.close();
    const { complaints, found } = await examineRecords(url);
    expect(complaints).toEqual([]);
    expect(found('records: clock')).toContain('the database, which decides the minute');
    expect(found('records: writable')).toBe('this user may admit requests and create keys');
    await session.end();
  });

  test('whose user may not write, or only a part, are reported', async () => {
    const { url, session } = await database();
    await (await opened(url)).close();
    await session.ask(`drop role if exists doctor;
      create role doctor login password 'secret';
      grant usage on schema sightline to doctor;
      grant select on all tables in schema sightline to doctor`);
    const asReader = url.replace('sightline:', 'doctor:');
    const reading = await examineRecords(asReader);
    expect(reading.complaints).toContain('failure records: writable');
    await session.ask('grant insert, update on sightline.minute_counts to doctor');
    expect((await examineRecords(asReader)).complaints).toContain('failure records: writable');
    await session.ask('grant update (last_used_at) on sightline.keys to doctor');
    expect((await examineRecords(asReader)).complaints).toContain('failure records: writable');
    await session.ask('grant insert, update on sightline.checkpoints to doctor');
    expect((await examineRecords(asReader)).complaints).toContain('warning records: writable');
    await session.ask('drop owned by doctor; drop role doctor');
    const name = new URL(url).pathname.slice(1);
    await session.ask(`alter database ${name} set default_transaction_read_only = on`);
    const readOnly = await examineRecords(url);
    expect(readOnly.complaints).toContain('failure records: writable');
    expect(readOnly.found('records: writable')).toBe('transactions are read-only here');
    await session.end();
  });

  test('on a standby are a failure', () => {
    const rights = { is_standby: true, is_read_only: true, may_admit: true, may_manage: true };
    expect(judgeRights([rights])).toMatchObject({ state: 'failure', found: 'this server is a standby' });
  });

  test('of a newer version, or that do not respond, are a failure whose text has no password', async () => {
    const { url, session } = await database();
    await (await opened(url)).close();
    await session.ask("insert into sightline.migrations (version, file) values (999, 'later')");
    expect((await examineRecords(url)).complaints).toEqual(['failure records: schema']);
    await session.end();
    const silent = await examineRecords('postgres://u:hunter2@127.0.0.1:1/x');
    expect([silent.status, silent.complaints]).toEqual([3, ['failure records']]);
    expect(JSON.stringify(silent)).not.toContain('hunter2');
  });
});

/** The remedies for a store and a lake on an S3 server that fails. */
const remediesFor = async (S3_ENDPOINT: string) => {
  const settings = {
    STORE_URL: 's3://sightline/store',
    LAKE_URL: 's3://sightline/lake',
    S3_ENDPOINT,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  };
  const { complaints, findings } = await doctor(settings, '--only', 'store', 'lake');
  expect(complaints).toEqual(['failure store', 'failure lake']);
  return findings.flatMap(({ state, remedy }) => (state === 'failure' ? [remedy!] : []));
};

describe('an S3 server', () => {
  test('with an error of its own is not a wrong setting', async () => {
    const url = await startServer((_, response) => void response.writeHead(503).end());
    for (const remedy of await remediesFor(url))
      expect(remedy).toMatch(/^the settings are not the cause: look at the S3 server/);
  });

  test('that is not there may be down, or the address wrong', async () => {
    for (const remedy of await remediesFor('http://127.0.0.1:1'))
      expect(remedy).toMatch(/^look whether the S3 server runs .* correct S3_ENDPOINT$/);
  });

  test('that refuses the credentials is a wrong setting', async () => {
    const url = await startServer((_, response) => void response.writeHead(403).end());
    const remedies = await remediesFor(url);
    expect(remedies[0]).toMatch(/^correct STORE_URL, S3_ENDPOINT or the AWS_ settings/);
    expect(remedies[1]).toMatch(/^correct LAKE_URL, /);
  });
});

describeS3('a store in S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  const examine = async (url: string, more: Record<string, string>, ...args: string[]) =>
    await doctor(
      { ...bucket.environment, STORE_URL: url, LOG_ORIGIN: ORIGIN, ...more },
      '--only',
      'store',
      ...args,
    );

  test('is reported with its clock; conditional writes are tried only on request', async () => {
    const { url } = bucket.location('doctor');
    const log = await testLog(await temporaryFolder());
    await publishWeek({ ...log, store: bucket.store('doctor') }, workspaceIds[0], '2026-11-16');
    const settings = { LAKE_URL: log.lake.url, PUBLIC_KEY_FILE: log.keys.publicKey };
    const looked = await examine(url, settings);
    expect(looked.complaints.filter((text) => text !== 'warning snapshots: age')).toEqual([]);
    expect(looked.found('store: clock')).toContain('the S3 server');
    expect(looked.found('store: conditional writes')).toMatch(/^not tried/);
    const probed = await examine(url, settings, '--probe-writes');
    expect(probed.found('store: conditional writes')).toBe('If-None-Match and If-Match work');
  });

  test('that is empty is not written to', async () => {
    const { complaints } = await examine(bucket.location('empty').url, {});
    expect(complaints).toEqual(['warning log']);
    expect(await bucket.store('').folders('')).not.toContain('empty');
  });

  test('in a missing bucket is a failure', async () => {
    const { status, complaints, found } = await examine('s3://sightline-no-such-bucket/x', {});
    expect([status, complaints]).toEqual([3, ['failure store']]);
    expect(found('store')).toContain('the bucket does not exist');
  });
});
