/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import { judgeClock } from '../../infra/doctor/clock.ts';
import { workspaceIds } from '../snapshots/history.ts';
import { ORIGIN, publishWeek, testLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openSession, startPostgres } from '../support/postgres.ts';
import { describeS3, makeBucket } from '../support/s3-server.ts';
import { doctor } from './installation.ts';

const examineRecords = async (url: string) => await doctor({ RECORDS_URL: url }, '--only', 'records');

test('records in PostgreSQL that are empty, in order, of a newer version, or that the user may not write', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await server.createDatabase();
  const session = openSession(url);
  onTestFinished(() => session.end());
  const empty = await examineRecords(url);
  expect([empty.complaints, empty.status]).toEqual([['warning records: schema'], 0]);
  expect(await session.ask("select 1 from pg_namespace where nspname = 'sightline'")).toHaveLength(0);

  const records = await openPostgresRecords(url, { maxWaitMs: 5000, batchesAtOnce: 1 });
  const [id] = workspaceIds;
  await records.setWorkspace({ id, name: 'One', plan: 'agency', requestsPerMinute: null });
  await records.createKey(id, { hash: '0'.repeat(64), prefix: 'vis_00000000' }, null);
  await records.close();
  const inOrder = await examineRecords(url);
  expect(inOrder.complaints).toEqual([]);
  expect(inOrder.found('records: clock')).toContain('the database, which decides the minute');

  await session.ask(`create role doctor login password 'secret'; grant usage on schema sightline to doctor;
    grant select on all tables in schema sightline to doctor; grant insert, update on sightline.minute_counts to doctor`);
  const asReader = url.replace('sightline:', 'doctor:');
  expect((await examineRecords(asReader)).complaints).toEqual(['failure records: writable']);
  await session.ask(`grant update (last_used_at) on sightline.keys to doctor;
    grant insert, update on sightline.checkpoints to doctor`);
  expect((await examineRecords(asReader)).complaints).toEqual(['warning records: writable']);

  await session.ask("insert into sightline.migrations (version, file) values (999, 'later')");
  expect((await examineRecords(url)).complaints).toEqual(['failure records: schema']);
});

test('records that do not respond are a failure whose text has no password', async () => {
  const silent = await examineRecords('postgres://u:hunter2@127.0.0.1:1/x');
  expect([silent.status, silent.complaints]).toEqual([3, ['failure records']]);
  expect(JSON.stringify(silent)).not.toContain('hunter2');
});

test('a store on an S3 server that is not there has a remedy for it', async () => {
  const credentials = {
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  };
  const settings = { STORE_URL: 's3://sightline/store', S3_ENDPOINT: 'http://127.0.0.1:1', ...credentials };
  const { complaints, findings } = await doctor(settings, '--only', 'store');
  expect(complaints).toEqual(['failure store']);
  const { remedy } = findings.find(({ state }) => state === 'failure')!;
  expect(remedy).toMatch(/^look whether the S3 server runs .* correct S3_ENDPOINT$/);
});

describeS3('a store in S3', () => {
  test('is reported with its clock; conditional writes are tried only on request; a missing bucket is a failure', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const log = await testLog(await temporaryFolder());
    await publishWeek({ ...log, store: bucket.store('doctor') }, workspaceIds[0], '2026-11-16');
    const settings = {
      ...bucket.environment,
      STORE_URL: bucket.location('doctor').url,
      LOG_ORIGIN: ORIGIN,
      LAKE_URL: log.lake.url,
      PUBLIC_KEY_FILE: log.keys.publicKey,
    };
    const looked = await doctor(settings, '--only', 'store');
    expect(looked.complaints.filter((text) => text !== 'warning snapshots: age')).toEqual([]);
    expect(looked.found('store: clock')).toContain('the S3 server');
    expect(looked.found('store: conditional writes')).toMatch(/^not tried/);
    const probed = await doctor(settings, '--only', 'store', '--probe-writes');
    expect(probed.found('store: conditional writes')).toBe('If-None-Match and If-Match work');
    const missing = await doctor(
      { ...settings, STORE_URL: 's3://sightline-no-such-bucket/x' },
      '--only',
      'store',
    );
    expect([missing.status, missing.complaints]).toEqual([3, ['failure store']]);
  });
});

test.each([
  [100_400, 'ok: no difference to be seen from the other'],
  [97_000, 'warning: this machine is 3.0 s ahead of the other'],
  [103_400, 'warning: this machine is 3.0 s behind the other'],
  [160_400, 'failure: this machine is 60.0 s behind the other'],
])('a clock that says %i when it is 100,000 to 100,400 here', (theirs, expected) => {
  const reading = { theirs, before: 100_000, after: 100_400, stepMs: 0 };
  const { state, found } = judgeClock('clock', 'the other', reading);
  expect(`${state}: ${found}`).toBe(expected);
});
