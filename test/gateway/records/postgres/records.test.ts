import { describe, expect, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { admissionSettings } from '../../../../gateway/records/postgres/settings.ts';
import { readSql } from '../../../../gateway/records/sql.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { describeRecords } from '../contract.ts';
import { eachDatabase } from '../each-database.ts';
import { one } from '../each-records.ts';

const options = { batchesAtOnce: 2, maxWaitMs: 5000 };
const database = eachDatabase();

const admit = async (records: Records, hash: string) => await records.admit([{ hash, requests: 1 }]);

/** A key of a new workspace. */
const keyIn = async (records: Records, id = one) => {
  await records.setWorkspace({ id, name: 'W', plan: 'agency', requestsPerMinute: 1_000_000 });
  const stored = storedForm(newKey());
  await records.createKey(id, stored, null);
  return stored;
};

describeRecords('PostgreSQL', async () => ({
  open: async () => await openPostgresRecords(database.url, options),
  dump: async () => {
    const rows = await database.session.ask(`
      select workspaces::text as row from sightline.workspaces
      union all select keys::text from sightline.keys`);
    return rows.map(({ row }) => String(row)).join('\n');
  },
  loseCounts: async () => void (await database.session.ask('delete from sightline.minute_counts')),
  setCounts: async (requests, minutesFromNow) => {
    const [row] = await database.session.ask(
      `update sightline.minute_counts set requests = $1,
        minute = floor(extract(epoch from clock_timestamp()) / 60) + $2::integer returning minute`,
      requests,
      minutesFromNow,
    );
    return Number(row!['minute']) - minutesFromNow;
  },
}));

describe('the schema in PostgreSQL', () => {
  test('is created once and completely by commands that start at the same time', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresRecords(database.url, options)),
    );
    await Promise.all(all.map((records) => records.ping()));
    await Promise.all(all.map((records) => records.close()));
    expect(await database.session.ask('select version, file from sightline.migrations')).toEqual([
      { version: 1, file: '0001-workspaces-and-keys.sql' },
    ]);
  });

  test('is not written if it is up to date: a user who can only count requests, stamp keys and keep checkpoints can run a gateway', async () => {
    await (await openPostgresRecords(database.url, options)).close();
    await database.session.ask(`
      drop role if exists reader;
      create role reader login password 'secret';
      grant usage on schema sightline to reader;
      grant select on all tables in schema sightline to reader;
      grant insert, update on sightline.minute_counts to reader;
      grant update (last_used_at) on sightline.keys to reader;
      grant insert, update on sightline.checkpoints to reader`);
    const owner = await openPostgresRecords(database.url, options);
    const { hash, prefix } = await keyIn(owner);
    const asReader = database.url.replace('sightline:', 'reader:');
    const records = await openPostgresRecords(asReader, { ...options, purpose: 'serve' });
    expect(await admit(records, hash)).toMatchObject([{ refused: null, used: 1 }]);
    expect((await owner.listKeys(one))[0]!.lastUsedAt).not.toBeNull();
    await records.keepCheckpoint('a.example/log', 1, 'a note');
    await expect(records.revokeKey(prefix)).rejects.toThrow('permission denied');
    await records.close();
    await owner.close();
    await database.session.ask('drop owned by reader; drop role reader');
  });

  test('is unchanged if a migration fails', async () => {
    await database.session.ask('create schema sightline');
    await database.session.ask('create table sightline.keys (id integer)');
    await expect(openPostgresRecords(database.url, options)).rejects.toThrow('"keys" already exists');
    const left = await database.session.ask(
      "select table_name from information_schema.tables where table_schema = 'sightline'",
    );
    expect(left).toEqual([{ table_name: 'keys' }]);
  });
});

test('PostgreSQL that refuses a password is named, without user and password', async () => {
  const url = database.url.replace('secret', 'wrong-password');
  const opening = openPostgresRecords(url, options);
  const { host, pathname } = new URL(url);
  await expect(opening).rejects.toThrow(`records in PostgreSQL at ${host}${pathname} cannot be opened: `);
  await expect(opening).rejects.not.toThrow(/wrong-password|secret/);
});

test('two gateways that look up the same keys in opposite orders never deadlock, even if every batch stamps them all', async () => {
  const [a, b] = [
    await openPostgresRecords(database.url, options),
    await openPostgresRecords(database.url, options),
  ];
  await database.session.ask(`
    create function forget() returns trigger language plpgsql as
      $$ begin new.last_used_at := null; return new; end $$;
    create trigger forget before update on sightline.keys for each row execute function forget()`);
  const hashes: string[] = [];
  for (let n = 0; n < 10; n++) {
    const id = `11111111-1111-4111-8111-11111111111${n}`;
    const [good, revoked] = [await keyIn(a, id), await keyIn(a, id)];
    await a.revokeKey(revoked.prefix);
    hashes.push(good.hash, revoked.hash);
  }
  const uses = hashes.map((hash) => ({ hash, requests: 1 }));
  const rounds = Array.from({ length: 100 }, async (_, n) =>
    n % 2 === 0 ? await a.admit(uses) : await b.admit(uses.toReversed()),
  );
  const standings = (await Promise.all(rounds)).flat().map((standing) => standing.refused);
  expect(standings.filter((standing) => standing === null)).toHaveLength(1000);
  expect(standings.filter((standing) => standing === 'invalid_key')).toHaveLength(1000);
  const [deadlocks] = await database.session.ask(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  expect(deadlocks).toEqual({ deadlocks: 0 });
  await Promise.all([a.close(), b.close()]);
});

test('the counts of 3000 workspaces are locked in their order, by the plan of the statement', async () => {
  await (await openPostgresRecords(database.url, options)).close();
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
  const joined = lines.slice(update + 1, update + 5).filter((line) => !line.startsWith('Join Filter'));
  const [join, ...sides] = joined.slice(0, 3);
  expect(join).toBe('->  Nested Loop');
  expect(sides.toSorted()).toEqual([
    '->  CTE Scan on added',
    '->  Index Scan using minute_counts_pkey on minute_counts',
  ]);
  const sorted = lines.slice(lines.indexOf('CTE added') + 1, lines.indexOf('CTE counted'));
  expect(sorted.join('\n')).toMatch(/Sort Key: known(?:_\d+)?\.workspace/);
});

const second = async () => {
  const [row] = await database.session.ask("select date_trunc('second', clock_timestamp()) as now");
  return (row!['now'] as Date).getTime();
};
const lastUse = async (records: Records) => Date.parse((await records.listKeys(one))[0]!.lastUsedAt!);

describe('the last use of a key in PostgreSQL', () => {
  test('is the second of the newest request, and is written at most once in it', async () => {
    const records = await openPostgresRecords(database.url, options);
    const { hash } = await keyIn(records);
    await database.session.ask(`create sequence writes;
      create function count_writes() returns trigger language plpgsql as
        $$ begin perform nextval('writes'); return new; end $$;
      create trigger count_writes before update on sightline.keys for each row execute function count_writes()`);
    const began = await second();
    for (let n = 0; n < 40; n += 1) {
      await records.admit([
        { hash, requests: 1 },
        ...(n % 2 === 0 ? [] : [{ hash: storedForm(newKey()).hash, requests: 1 }]),
      ]);
    }
    const ended = await second();
    const used = await lastUse(records);
    expect(used).toBeGreaterThanOrEqual(began);
    expect(used).toBeLessThanOrEqual(ended);
    const [row] = await database.session.ask('select last_value::integer as writes from writes');
    expect(row!['writes']).toBeLessThanOrEqual((ended - began) / 1000 + 1);
    await database.session.ask("update sightline.keys set last_used_at = now() - interval '1 minute'");
    await admit(records, hash);
    expect(await lastUse(records)).toBeGreaterThanOrEqual(ended);
    await records.close();
  });

  test('never delays a request: a row that another transaction has locked is skipped', async () => {
    const records = await openPostgresRecords(database.url, options);
    const { hash } = await keyIn(records);
    await database.session.ask('begin');
    await database.session.ask('select 1 from sightline.keys for update');
    expect(await admit(records, hash)).toMatchObject([{ refused: null }]);
    await database.session.ask('rollback');
    await records.close();
  });
});
