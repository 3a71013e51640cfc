import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { admissionSettings } from '../../../../gateway/records/postgres/settings.ts';
import { readSql } from '../../../../gateway/records/sql.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { reasonOf } from '../../../../lib/failure.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { transcriptOf } from '../../../support/transcript.ts';
import { until } from '../../../support/until.ts';
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

const expectNoSchema = async () => {
  const found = await database.session.ask("select to_regnamespace('sightline') as found");
  expect(found).toEqual([{ found: null }]);
};

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
    grant select on sightline.migrations to reader`);
  const rights = [
    ...['keys', 'workspaces'].map((table) => `select on sightline.${table}`),
    ...['select', 'insert', 'update'].flatMap((right) =>
      ['minute_counts', 'checkpoints'].map((table) => `${right} on sightline.${table}`),
    ),
    'update (last_used_at) on sightline.keys',
  ];
  for (const right of rights) await database.session.ask(`grant ${right} to reader`);
  for (const right of rights) {
    await database.session.ask(`revoke ${right} from reader`);
    expect(await serveAs('reader').then(() => right, reasonOf)).toContain(
      'cannot be written: this user may not count requests, or not keep checkpoints (grant select',
    );
    await database.session.ask(`grant ${right} to reader`);
  }
  const records = await serveAs('reader');
  expect(await admit(records, hash)).toMatchObject([{ refused: null, used: 1 }]);
  expect((await owner.listKeys(one))[0]!.lastUsedAt).not.toBeNull();
  await records.keepCheckpoint('a.example/log', 1, 'a note');
  await expect(records.revokeKey(prefix)).rejects.toThrow('permission denied');
  await Promise.all(Array.from({ length: 9 }, () => [records.ping(), admit(records, hash)]).flat());
  const connections = "select from pg_stat_activity where usename = 'reader'";
  await until(async () => (await database.session.ask(connections)).length === 4);
  await records.close();
  await owner.close();
  await database.session.ask('drop owned by reader; drop role reader');
});

test('PostgreSQL without records is left empty by a gateway', async () => {
  const line = 'contains no records: correct RECORDS_URL, or create';
  await expect(serveAs('sightline')).rejects.toThrow(line);
  await expectNoSchema();
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
  const [node, ...sides] = lines.slice(update + 1).filter((line) => !line.startsWith('Join Filter'));
  expect(node).toBe('->  Nested Loop');
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

const golden = (name: string) => join(import.meta.dirname, `golden/${name}.txt`);
/** No command leaves a connection open. */
const expectNoConnections = async () => {
  const connections =
    "select from pg_stat_activity where application_name = 'sightline' and datname = current_database()";
  await until(async () => (await database.session.ask(connections)).length === 0);
};

test('what commands and the doctor say of PostgreSQL is golden/session.txt', async () => {
  const asDoctor = () => ({ RECORDS_URL: database.url.replace('sightline:', 'doctor:') });
  const ask = (sql: string) => async () => void (await database.session.ask(sql));
  const steps = [
    '# An empty database, which stays empty',
    '$ doctor --only records',
    ...managing,
    expectNoSchema,
    async () => {
      const records = await open();
      await keyIn(records);
      await records.close();
    },
    '# Records',
    '$ doctor --only records',
    () => ({ RECORDS_URL: `${database.url}?sslmode=require` }),
    '# A server without TLS',
    '$ records workspace list',
    () => ({ RECORDS_URL: `${database.url}?sslmode=disable&options=-c%20search_path%3Dnowhere` }),
    '# Settings of its own',
    '$ records workspace list',
    ask(`create role doctor login password 'secret'; grant usage on schema sightline to doctor;
      grant select on all tables in schema sightline to doctor; grant insert, update on sightline.minute_counts to doctor`),
    '# A user who cannot write',
    asDoctor,
    '$ doctor --only records',
    ask(`grant update (last_used_at) on sightline.keys to doctor;
      grant insert, update on sightline.checkpoints to doctor`),
    '# A user of a gateway',
    '$ doctor --only records',
    ask('alter role doctor set default_transaction_read_only = on'),
    '# Read-only transactions',
    '$ doctor --only records',
    ask("insert into sightline.migrations (version, file) values (999, 'later')"),
    '# Newer records',
    '$ doctor --only records',
    '$ records workspace list',
    () => ({ RECORDS_URL: database.url.replace('secret', 'hunter2') }),
    '# A wrong password',
    '$ doctor --only records',
  ];
  const transcript = await transcriptOf(steps, { settings: { RECORDS_URL: database.url } });
  await expect(transcript).toMatchFileSnapshot(golden('session'));
  await expectNoConnections();
  await database.session.ask('drop owned by doctor; drop role doctor');
});

test('a copy from SQLite lists and admits like its source, with the same ids and counts, continues its numbers, and is never repeated', async () => {
  const path = join(await temporaryFolder(), 'records.db');
  const inFile = (statement: string) => {
    using file = new DatabaseSync(path);
    file.exec(statement);
  };
  const records = () => openSqliteRecords(path, { clock: systemClock });
  /** Two workspaces; keys that were labelled, used, revoked; ids from 40 on. */
  const fill = async (): Promise<string[]> => {
    await using source = new AsyncDisposableStack();
    const filled = source.adopt(records(), (each) => each.close());
    await filled.setWorkspace({ id: two, name: 'Zwölf "GmbH" 🏷', plan: 'Scale', requestsPerMinute: null });
    await filled.setWorkspace({ id: one, name: 'One', plan: 'trial', requestsPerMinute: 7 });
    inFile("insert into sqlite_sequence values ('keys', 39)");
    const keys = [await filled.makeKey(two, 'für montags'), await filled.makeKey(two, null)];
    keys.push(await filled.makeKey(one, ''));
    const hashes = keys.map(({ key }) => storedForm(key).hash);
    await filled.admit([hashes[0]!, hashes[2]!].map((hash, n) => ({ hash, requests: 3 - n })));
    await filled.revokeKey(keys[2]!.made.prefix);
    await filled.keepCheckpoint('sightline.example/log', 7, 'a note\n');
    return hashes;
  };
  let hashes: string[] = [];
  const loseKeys = `create function sightline.lose() returns trigger language plpgsql as 'begin return null; end';
    create trigger lose before insert on sightline.keys for each row execute function sightline.lose()`;
  const drop = async () => void (await database.session.ask('drop schema sightline cascade'));
  const copy = '$ records copy --from sqlite:$FILE --to $DATABASE';
  const steps = [
    '# No file',
    copy,
    async () => void (hashes = await fill()),
    '# A server that is away',
    '$ records copy --from sqlite:$FILE --to postgres://u:hunter2@127.0.0.1:1/x',
    '# Records of a newer version',
    () => inFile('pragma user_version = 999'),
    copy,
    () => inFile('pragma user_version = 1'),
    expectNoSchema,
    '# Records',
    `${copy} --json`,
    drop,
    '# A trigger of the database that loses keys',
    async () => {
      await (await open()).close();
      await database.session.ask(loseKeys);
    },
    copy,
    drop,
    '# Records again',
    copy,
    copy,
  ];
  const transcript = await transcriptOf(steps, { settings: { FILE: path, DATABASE: database.url } });
  await expect(transcript).toMatchFileSnapshot(golden('copy'));
  await expectNoConnections();
  const [source, copied] = [records(), await open()];
  onTestFinished(async () => void (await Promise.all([source.close(), copied.close()])));
  expect(await copied.listWorkspaces()).toEqual(await source.listWorkspaces());
  for (const id of [one, two]) expect(await copied.listKeys(id)).toEqual(await source.listKeys(id));
  expect(await copied.listCheckpoints()).toEqual(await source.listCheckpoints());
  using file = new DatabaseSync(path);
  const counted = file.prepare('select minute, requests from minute_counts order by workspace').all();
  const counts = 'select minute, requests::integer from sightline.minute_counts order by workspace';
  expect(await database.session.ask(counts)).toEqual(counted.map((row) => ({ ...row })));
  const [standings, before] = [await admit(copied, ...hashes), await admit(source, ...hashes)];
  expect(standings.map(({ keyId }) => keyId)).toEqual(before.map(({ keyId }) => keyId));
  expect(standings.map(({ refused }) => refused)).toEqual([null, null, 'invalid_key']);
  expect((await copied.makeKey(one, 'new')).made).toMatchObject({ id: 43, label: 'new' });
});
