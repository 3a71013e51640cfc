/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import { judgeClock } from '../../infra/doctor/clock.ts';
import { workspaceIds } from '../snapshots/history.ts';
import { ORIGIN, publishWeek, testLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';
import { openSession, startPostgres } from '../support/postgres.ts';
import type { Session, TestPostgres } from '../support/postgres.ts';
import { describeS3, makeBucket } from '../support/s3-server.ts';
import type { TestBucket } from '../support/s3-server.ts';
import { doctor } from './installation.ts';

const examineRecords = async (url: string) => await doctor({ RECORDS_URL: url }, '--only', 'records');

describe('records in PostgreSQL', () => {
  let server: TestPostgres;
  let url: string;
  let session: Session;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    session = openSession(url);
  });
  afterAll(async () => {
    await session.end();
    await server.stop();
  });

  test('that are empty are reported, and stay empty', async () => {
    const { complaints, status } = await examineRecords(url);
    expect([complaints, status]).toEqual([['warning records: schema'], 0]);
    expect(await session.ask("select 1 from pg_namespace where nspname = 'sightline'")).toHaveLength(0);
  });

  test('that are in order are reported with their clock', async () => {
    const records = await openPostgresRecords(url, { maxWaitMs: 5000, batchesAtOnce: 1 });
    const [id] = workspaceIds;
    await records.setWorkspace({ id, name: 'One', plan: 'agency', requestsPerMinute: null });
    await records.createKey(id, { hash: '0'.repeat(64), prefix: 'vis_00000000' }, null);
    await records.close();
    const { complaints, found } = await examineRecords(url);
    expect(complaints).toEqual([]);
    expect(found('records: clock')).toContain('the database, which decides the minute');
    expect(found('records: writable')).toBe('this user may admit requests and create keys');
  });

  test('whose user may not write, or only a part, are reported', async () => {
    await session.ask(`create role doctor login password 'secret';
      grant usage on schema sightline to doctor;
      grant select on all tables in schema sightline to doctor`);
    const asReader = url.replace('sightline:', 'doctor:');
    for (const [grant, state] of [
      ['insert, update on sightline.minute_counts', 'failure'],
      ['update (last_used_at) on sightline.keys', 'failure'],
      ['insert, update on sightline.checkpoints', 'warning'],
    ] as const) {
      await session.ask(`grant ${grant} to doctor`);
      expect((await examineRecords(asReader)).complaints).toEqual([`${state} records: writable`]);
    }
    const name = new URL(url).pathname.slice(1);
    await session.ask(`alter database ${name} set default_transaction_read_only = on`);
    expect((await examineRecords(url)).found('records: writable')).toBe('transactions are read-only here');
    await session.ask(`alter database ${name} reset default_transaction_read_only`);
  });

  test('of a newer version, or that do not respond, are a failure whose text has no password', async () => {
    await session.ask("insert into sightline.migrations (version, file) values (999, 'later')");
    expect((await examineRecords(url)).complaints).toEqual(['failure records: schema']);
    const silent = await examineRecords('postgres://u:hunter2@127.0.0.1:1/x');
    expect([silent.status, silent.complaints]).toEqual([3, ['failure records']]);
    expect(JSON.stringify(silent)).not.toContain('hunter2');
  });
});

describe('a store and a lake on an S3 server', () => {
  test.each([
    ['with an error of its own', 503, /^the settings are not the cause: look at the S3 server/],
    ['that is not there', null, /^look whether the S3 server runs .* correct S3_ENDPOINT$/],
    ['that refuses the credentials', 403, /^correct \w+_URL, S3_ENDPOINT or the AWS_ settings/],
  ])('%s have a remedy for it', async (_what, status, remedy) => {
    const answer = async () => await startServer((_, response) => void response.writeHead(status!).end());
    const settings = {
      STORE_URL: 's3://sightline/store',
      LAKE_URL: 's3://sightline/lake',
      S3_ENDPOINT: status === null ? 'http://127.0.0.1:1' : await answer(),
      S3_FORCE_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: 'somebody',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_MAX_ATTEMPTS: '1',
    };
    const { complaints, findings } = await doctor(settings, '--only', 'store', 'lake');
    expect(complaints).toEqual(['failure store', 'failure lake']);
    for (const finding of findings.filter(({ state }) => state === 'failure'))
      expect(finding.remedy).toMatch(remedy);
  });
});

describeS3('a store in S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  const examine = async (url: string, more: Record<string, string>, ...args: string[]) => {
    const settings = { ...bucket.environment, STORE_URL: url, LOG_ORIGIN: ORIGIN, ...more };
    return await doctor(settings, '--only', 'store', ...args);
  };

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

  test('in a missing bucket is a failure', async () => {
    const { status, complaints, found } = await examine('s3://sightline-no-such-bucket/x', {});
    expect([status, complaints]).toEqual([3, ['failure store']]);
    expect(found('store')).toContain('the bucket does not exist');
  });
});

test.each([
  [100_400, 'ok: no difference to be seen from the other'],
  [99_000, 'ok: this machine is 1.0 s ahead of the other'],
  [97_000, 'warning: this machine is 3.0 s ahead of the other'],
  [103_400, 'warning: this machine is 3.0 s behind the other'],
  [160_400, 'failure: this machine is 60.0 s behind the other'],
])('a clock that says %i when it is 100,000 to 100,400 here', (theirs, expected) => {
  const reading = { theirs, before: 100_000, after: 100_400, stepMs: 0 };
  const { state, found } = judgeClock('clock', 'the other', reading);
  expect(`${state}: ${found}`).toBe(expected);
});
