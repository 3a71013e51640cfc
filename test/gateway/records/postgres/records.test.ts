import { beforeEach, expect, test } from 'vitest';
import { storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { admissionSettings } from '../../../../gateway/records/postgres/settings.ts';
import { readSql } from '../../../../gateway/records/sql.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { runHere } from '../../../support/command-line.ts';
import { describeRecords, managing, one, requestsOf, two } from '../contract.ts';
import { eachDatabase } from '../each-database.ts';

const options = { batchesAtOnce: 2, maxWaitMs: 5000 };
const database = eachDatabase();
/** Sessions must set what they need, for any defaults of the database. */
beforeEach(async () => {
  for (const setting of [
    "default_transaction_isolation = 'repeatable read'",
    'synchronous_commit = off',
    'statement_timeout = 0',
    'lock_timeout = 0',
  ])
    await database.session.ask(`alter database ${new URL(database.url).pathname.slice(1)} set ${setting}`);
});

const open = async () => await openPostgresRecords(database.url, options);
const serveAs = async (user: string) =>
  await openPostgresRecords(database.url.replace('sightline:', `${user}:`), { ...options, purpose: 'serve' });
const admit = async (records: Records, ...hashes: string[]) =>
  await records.admit(hashes.map((hash) => ({ hash, requests: 1 })));

/** A key of a new workspace. */
const keyIn = async (records: Records, id = one) => {
  await records.setWorkspace({ id, name: 'W', plan: 'agency', requestsPerMinute: 60 });
  return storedForm((await records.makeKey(id, null)).key);
};

describeRecords('PostgreSQL', async () => ({
  records: await open(),
  execute: async (sql) => await database.session.ask(sql),
  schema: 'sightline',
}));

test('the schema in PostgreSQL is created once and completely by commands that start at the same time', async () => {
  const opening = Array.from({ length: 8 }, open);
  for (const records of await Promise.all(opening)) {
    await records.ping();
    await records.close();
  }
  expect(await database.session.ask('select version, file from sightline.migrations')).toEqual([
    { version: 1, file: '0001-workspaces-and-keys.sql' },
  ]);
});

test('a user who can only count requests, stamp keys and keep checkpoints can run a gateway, and one who cannot is refused', async () => {
  const owner = await open();
  const { hash, prefix } = await keyIn(owner);
  await database.session.ask(`
    drop role if exists reader;
    create role reader login password 'secret';
    grant usage on schema sightline to reader;
    grant select on all tables in schema sightline to reader`);
  await expect(serveAs('reader')).rejects.toThrow(
    'cannot be written: this user may not count requests, or not keep checkpoints (grant select',
  );
  await database.session.ask(`
    grant insert, update on sightline.minute_counts to reader;
    grant update (last_used_at) on sightline.keys to reader;
    grant insert, update on sightline.checkpoints to reader`);
  const records = await serveAs('reader');
  expect(await admit(records, hash)).toMatchObject([{ refused: null, used: 1 }]);
  expect((await owner.listKeys(one))[0]!.lastUsedAt).not.toBeNull();
  await records.keepCheckpoint('a.example/log', 1, 'a note');
  await expect(records.revokeKey(prefix)).rejects.toThrow('permission denied');
  await records.close();
  await owner.close();
  await database.session.ask('drop owned by reader; drop role reader');
});

test('PostgreSQL without records is left empty by commands that only manage them, and by a gateway', async () => {
  const { host, pathname } = new URL(database.url);
  const line = `records in PostgreSQL at ${host}${pathname} contains no records: correct RECORDS_URL, or create`;
  for (const args of managing) {
    const { status, stderr } = await runHere('records', args, { settings: { RECORDS_URL: database.url } });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(line) as string });
  }
  await expect(serveAs('sightline')).rejects.toThrow(line);
  const found = await database.session.ask("select to_regnamespace('sightline') as found");
  expect(found).toEqual([{ found: null }]);
  await database.session.ask(`create schema sightline; ${readSql('postgres/sql/create-migrations')}`);
  await expect(serveAs('sightline')).rejects.toThrow(line);
});

test('the counts of 3000 workspaces are locked in their order, by the plan of the statement', async () => {
  await (await open()).close();
  const make = `insert into sightline.workspaces (id, name, plan)
    select gen_random_uuid(), 'W', 'scale' from generate_series(1, 3000)`;
  await database.session.ask(make);
  await database.session.ask(
    'insert into sightline.minute_counts select number, 0, 0 from sightline.workspaces',
  );
  await database.session.ask('analyze');
  const { session } = database;
  for (const [name, value] of Object.entries(admissionSettings(5000)))
    await session.ask(`set ${name} = ${value}`);
  await session.ask(`prepare admit(text[], integer[], jsonb) as ${readSql('postgres/sql/admit')}`);
  const plan = await session.ask(`explain (costs off) execute admit('{}', '{}', '{}')`);
  const lines = plan.map((row) => String(row['QUERY PLAN']).trim());
  const update = lines.findIndex((line) => line.startsWith('->  Update on minute_counts'));
  // The outer side decides the order, and both have that of the workspaces; a bitmap or a hash would not.
  const [join, ...sides] = lines.slice(update + 1).filter((line) => !line.startsWith('Join Filter'));
  expect(join).toBe('->  Nested Loop');
  expect(sides.slice(0, 2).toSorted()).toEqual([
    '->  CTE Scan on added',
    '->  Index Scan using minute_counts_pkey on minute_counts',
  ]);
  const added = lines.slice(lines.indexOf('CTE added') + 1, lines.indexOf('CTE counted'));
  expect(added.join('\n')).toMatch(/Sort Key: known(?:_\d+)?\.workspace/);
});

test('a key that another transaction has locked delays no request', async () => {
  const records = await open();
  const { hash } = await keyIn(records);
  await database.session.ask('begin');
  await database.session.ask('select 1 from sightline.keys for update');
  expect(await admit(records, hash)).toMatchObject([{ refused: null }]);
  await database.session.ask('rollback');
  await records.close();
});

test(
  'a count that another transaction has locked fails the batches with a key of its workspace, early, and no others',
  { tags: ['long'] },
  async () => {
    const records = await open();
    const [{ hash: locked }, { hash: free }] = [await keyIn(records), await keyIn(records, two)];
    await database.session.ask(
      'insert into sightline.minute_counts select number, 0, 0 from sightline.workspaces',
    );
    await database.session.ask('begin');
    await database.session.ask(
      'select 1 from sightline.minute_counts join sightline.workspaces on number = workspace where id = $1 for update of minute_counts',
      one,
    );
    const [failed, alone] = await Promise.allSettled([admit(records, free, locked), admit(records, free)]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: '55P03' } }); // early: by lock_timeout
    await database.session.ask('rollback');
    const first = alone.status === 'fulfilled' ? alone.value : [];
    expect(requestsOf([...first, ...(await admit(records, free))])).toBe(2); // nothing was counted twice
    expect(requestsOf(await admit(records, locked))).toBe(1);
    await records.close();
  },
);
