/** @module-tag long */
import { describe, expect, onTestFinished, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { until } from '../../../support/until.ts';
import { eachDatabase } from '../each-database.ts';
import { requestsOf } from '../each-records.ts';

const options = { batchesAtOnce: 2, maxWaitMs: 5000 };
const database = eachDatabase();
const idOf = (n: number) => `${n}1111111-1111-4111-8111-111111111111`;

/** The hash of a new key of a new workspace. */
async function keyOf(records: Records, n: number, requestsPerMinute = 1_000_000): Promise<string> {
  await records.setWorkspace({ id: idOf(n), name: 'W', plan: 'agency', requestsPerMinute });
  const stored = storedForm(newKey());
  await records.createKey(idOf(n), stored, null);
  return stored.hash;
}
const admit = async (records: Records, ...hashes: string[]) =>
  await records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
const standingsOf = async (records: Records, ...hashes: string[]) =>
  (await admit(records, ...hashes)).map((standing) => standing.refused);

/** Like an out-of-memory kill: the server ends all its sessions and recovers from its log. */
const crash = (pid: number) => process.kill(pid, 'SIGKILL');

const opened = async (): Promise<Records> => {
  let records: Records | null = null;
  await until(
    async () => {
      records = await openPostgresRecords(database.url, options).catch(() => null);
      return records !== null;
    },
    'the server accepts sessions',
    { everyMs: 20 },
  );
  return records!;
};

/** When the minute ends, in seconds, by the server's clock. */
async function minuteNow(): Promise<number> {
  const [row] = await database.session.ask(
    'select (floor(extract(epoch from clock_timestamp()) / 60) + 1)::integer * 60 as ends',
  );
  return Number(row!['ends']);
}

/** The process that serves the session of the test: another one after a crash of the server. */
async function sessionId(): Promise<number> {
  const [row] = await database.session.ask('select pg_backend_pid() as pid');
  return Number(row!['pid']);
}

/** The admitted requests of a workspace with an allowance of 60, and how many are still counted after a crash. */
const burst = async (n: number) => {
  const records = await opened();
  const hash = await keyOf(records, n, 60);
  const [backend] = await database.session.ask(
    "select pid from pg_stat_activity where application_name = 'sightline' and datname = current_database() limit 1",
  );
  let admitted = 0;
  while (admitted < 57) {
    await admit(records, hash);
    admitted += 1;
  }
  const before = await sessionId();
  crash(Number(backend!['pid']));
  // Until the server has noticed it, it accepts sessions that it then ends.
  await until(async () => (await sessionId().catch(() => before)) !== before, 'the crash is noticed', {
    everyMs: 20,
  });
  await records.close().catch(() => undefined);
  const again = await opened();
  const [next] = await admit(again, hash);
  await again.close();
  if (next?.refused !== null) throw new Error('not counted');
  return { admitted, kept: next.used - 1, minuteEnds: next.minuteEnds };
};

describe('a server that crashes right after its response', () => {
  test('has forgotten less than a tenth of an allowance', async () => {
    // If the minute ends meanwhile, another workspace tries: this one has requests in both minutes.
    for (let workspace = 1; ; workspace += 1) {
      const minute = await minuteNow();
      const { admitted, kept, minuteEnds } = await burst(workspace);
      if (minuteEnds !== minute || (await minuteNow()) !== minute) continue;
      expect(kept).toBeLessThanOrEqual(admitted);
      expect(kept).toBeGreaterThan(admitted - 60 / 10);
      return;
    }
  });
});

describe('sessions', () => {
  test('set the settings that they need, for any defaults of the database', async () => {
    const name = new URL(database.url).pathname.slice(1);
    onTestFinished(async () => void (await database.session.ask(`alter database ${name} reset all`)));
    for (const setting of [
      "default_transaction_isolation = 'repeatable read'",
      'synchronous_commit = off',
      'statement_timeout = 0',
      'lock_timeout = 0',
    ]) {
      await database.session.ask(`alter database ${name} set ${setting}`);
    }
    const gateways = [
      await openPostgresRecords(database.url, options),
      await openPostgresRecords(database.url, options),
    ];
    const hash = await keyOf(gateways[0]!, 1);
    const rounds = Array.from({ length: 200 }, async (_, n) => await standingsOf(gateways[n % 2]!, hash));
    expect(new Set((await Promise.all(rounds)).flat())).toEqual(new Set([null]));
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });
});

describe('a count that another transaction has locked', () => {
  test('fails the batches with a key of its workspace, early, and no others; afterwards nothing was counted twice', async () => {
    const patient = { ...options, maxWaitMs: 12_000 };
    const records = await openPostgresRecords(database.url, patient);
    const [locked, free] = [await keyOf(records, 1), await keyOf(records, 2)];
    await database.session.ask(
      'insert into sightline.minute_counts select number, 0, 0 from sightline.workspaces',
    );
    await database.session.ask('begin');
    await database.session.ask(
      'select 1 from sightline.minute_counts join sightline.workspaces on number = workspace where id = $1 for update of minute_counts',
      idOf(1),
    );
    const since = performance.now();
    const [failed, alone] = await Promise.allSettled([admit(records, free, locked), admit(records, free)]);
    expect(performance.now() - since).toBeLessThan(patient.maxWaitMs / 2); // the limit is a quarter
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '55P03' } });
    expect(alone).toMatchObject({ status: 'fulfilled' });
    await database.session.ask('rollback');
    const first = alone.status === 'fulfilled' ? alone.value : [];
    expect(requestsOf([...first, ...(await admit(records, free))])).toBe(2);
    expect(requestsOf(await admit(records, locked))).toBe(1);
    await records.close();
  });
});
