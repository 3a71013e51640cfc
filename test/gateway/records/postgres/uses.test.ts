import { queryObjects } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/admission/keys.ts';
import { useFolding } from '../../../../gateway/records/postgres/uses.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { readMigrations, readSql } from '../../../../gateway/records/sql.ts';
import { until } from '../../../support/until.ts';
import { copy, one, open as openAddress } from '../copying.ts';
import { eachDatabase } from '../each-database.ts';

const NEVER = 2 ** 30;
const database = eachDatabase();

const open = async (foldEveryMs: number, address = database.url) =>
  await openPostgresRecords(address, { admissionsAtOnce: 2, maxWaitMs: 5000, foldEveryMs });

/** Keys of one workspace, by their hashes. */
async function keysIn(records: Records, count: number): Promise<string[]> {
  await records.setWorkspace({ id: one, name: 'One', plan: 'agency', requestsPerMinute: 1_000_000 });
  const stored = Array.from({ length: count }, () => storedForm(newKey()));
  for (const key of stored) await records.createKey(one, key, null);
  return stored.map(({ hash }) => hash);
}
const admit = async (records: Records, hashes: readonly string[]) =>
  await records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
const lastUses = async (records: Records) =>
  (await records.listKeys(one)).map(({ lastUsedAt }) => lastUsedAt);
const batches = async () =>
  (await database.session.ask('select count(*)::integer as batches from sightline.batch_uses'))[0]![
    'batches'
  ] as number;
const folded = async () =>
  (await database.session.ask('select last_used_at from sightline.key_uses order by key')).map(
    (row) => (row['last_used_at'] as Date | null)?.toISOString() ?? null,
  );

/** Makes folding fail, and counts the attempts with a sequence, which is not rolled back. */
const refuseFolding = async () =>
  await database.session.ask(`create sequence refused;
    create function refuse() returns trigger language plpgsql as
      $$ begin perform nextval('refused'); raise exception 'not now'; end $$;
    create trigger refuse before insert or update on sightline.key_uses execute function refuse()`);
const refusedFolds = async () =>
  Number(
    (
      await database.session.ask('select case when is_called then last_value else 0 end as n from refused')
    )[0]!['n'],
  );

describe('the last use of a key in PostgreSQL', () => {
  test('that cannot be folded is reported once, stays exact, and is folded later', async () => {
    const told: unknown[] = [];
    const records = await openPostgresRecords(database.url, {
      admissionsAtOnce: 2,
      maxWaitMs: 5000,
      foldEveryMs: 5,
      onFoldingFailed: (error) => told.push(error),
    });
    const hashes = await keysIn(records, 1);
    await until(async () => (await batches()) === 0);
    await refuseFolding();
    for (let n = 1; n <= 5; n++) {
      await admit(records, hashes);
      await until(async () => (await refusedFolds()) >= n);
    }
    expect(told).toHaveLength(1);
    expect(String(told[0])).toContain('not now');
    expect(await batches()).toBe(5);
    await database.session.ask('drop trigger refuse on sightline.key_uses');
    await admit(records, hashes);
    await until(async () => (await batches()) === 0);
    expect(await folded()).toEqual(await lastUses(records));
    await records.close();
  });

  test('is exact before and after folding', async () => {
    const records = await open(NEVER);
    const hashes = await keysIn(records, 3);
    await admit(records, hashes.slice(0, 2));
    const [first, second] = await lastUses(records);
    await admit(records, hashes.slice(0, 1));
    const before = await lastUses(records);
    expect(before).toEqual([expect.any(String), second, null]);
    expect(Date.parse(before[0]!)).toBeGreaterThanOrEqual(Date.parse(first!));
    expect([await batches(), await folded()]).toEqual([2, [null, null, null]]);
    await records.close();
    expect([await batches(), await folded()]).toEqual([0, before]);
    const again = await open(NEVER);
    expect(await lastUses(again)).toEqual(before);
    await again.close();
  });

  test('is folded soon while requests arrive, and the log is then empty', async () => {
    const records = await open(5);
    const hashes = await keysIn(records, 2);
    await admit(records, hashes);
    await until(async () => (await batches()) === 0);
    await admit(records, hashes.slice(0, 1));
    await until(async () => (await batches()) === 0);
    expect(await folded()).toEqual(await lastUses(records));
    await records.close();
  });

  test('of gateways that ended without folding is folded by the next', async () => {
    const crashed = await open(NEVER);
    await admit(crashed, await keysIn(crashed, 2));
    const before = await lastUses(crashed);
    const next = await open(5);
    await until(async () => (await batches()) === 0);
    expect(await folded()).toEqual(before);
    await Promise.all([next.close(), crashed.close()]);
  });

  test('is right when several gateways admit and fold at the same time', async () => {
    const gateways = await Promise.all(Array.from({ length: 4 }, () => open(0)));
    const hashes = await keysIn(gateways[0]!, 20);
    const rounds = Array.from({ length: 80 }, async (_, n) => {
      const asked = n % 2 === 0 ? hashes : hashes.toReversed();
      return await admit(gateways[n % 4]!, asked.slice(0, 1 + (n % 20)));
    });
    const standings = (await Promise.all(rounds)).flat();
    expect(new Set(standings.map((standing) => standing?.standing))).toEqual(new Set(['counted']));
    const before = await lastUses(gateways[0]!);
    await Promise.all(gateways.map((gateway) => gateway.close()));
    const records = await open(NEVER);
    expect(await lastUses(records)).toEqual(before);
    await records.close();
    expect([await batches(), await folded()]).toEqual([0, before]);
    const [deadlocks] = await database.session.ask(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks).toEqual({ deadlocks: 0 });
  });

  test('is folded completely if the log is too long for one statement', async () => {
    const records = await open(NEVER);
    const hashes = await keysIn(records, 1);
    await database.session.ask(`
      insert into sightline.batch_uses
      select '2026-01-05T00:00:00Z'::timestamptz + n * interval '1 ms', array[keys.id]
      from sightline.keys, generate_series(1, 5000) as n`);
    expect(await lastUses(records)).toEqual(['2026-01-05T00:00:05.000Z']);
    await admit(records, [storedForm(newKey()).hash]);
    await records.close();
    expect([await batches(), await folded()]).toEqual([0, ['2026-01-05T00:00:05.000Z']]);
    expect(hashes).toHaveLength(1);
  });

  test('never decreases, in any order of folding', async () => {
    const records = await open(NEVER);
    await admit(records, await keysIn(records, 1));
    await database.session.ask("update sightline.key_uses set last_used_at = '2100-01-01T00:00:00Z'");
    expect(await lastUses(records)).toEqual(['2100-01-01T00:00:00.000Z']);
    await records.close();
    expect(await folded()).toEqual(['2100-01-01T00:00:00.000Z']);
  });

  test('is not written for keys that are unknown', async () => {
    const records = await open(NEVER);
    await admit(records, [storedForm(newKey()).hash]);
    await admit(records, [storedForm(newKey()).hash, storedForm(newKey()).hash]);
    expect(await batches()).toBe(0);
    await records.close();
  });

  test('is copied from a log that is not folded, and the log is not changed', async () => {
    const records = await open(NEVER);
    await admit(records, await keysIn(records, 2));
    const target = await database.server.createDatabase();
    await copy(database.url, target);
    expect(await lastUses(await openAddress(target))).toEqual(await lastUses(records));
    expect(await batches()).toBe(1);
    await records.close();
  });
});

describe('folding', () => {
  test('does not leak memory', async () => {
    let folds = 0;
    const uses = useFolding(async <Row>() => {
      folds += 1;
      return [{ batches: 0 }] as Row[];
    }, 0);
    const foldTo = async (wanted: number) => {
      for (;;) {
        if (folds >= wanted) break;
        uses.logged();
        await new Promise(setImmediate);
      }
      await uses.close();
      return queryObjects(Array, { format: 'count' });
    };
    const before = await foldTo(50);
    expect((await foldTo(550)) - before).toBeLessThan(250);
  });
});

describe('records in PostgreSQL of version 1', () => {
  test('keep all data and the rights to admit requests', async () => {
    const [first] = readMigrations('postgres');
    await database.session.ask('create schema sightline');
    await database.session.ask(readSql('postgres', 'schema/create-migrations'));
    await database.session.ask(first!.sql);
    await database.session.ask(readSql('postgres', 'schema/record-migration'), first!.version, first!.file);
    const { hash, prefix } = storedForm(newKey());
    await database.session.ask(`
      insert into sightline.workspaces (id, name, plan) values ('${one}', 'One', 'agency');
      insert into sightline.minute_counts values (1, 1, 1);
      insert into sightline.keys (workspace, hash, prefix) values (1, decode('${hash}', 'hex'), '${prefix}');
      insert into sightline.key_uses values (1, '2026-01-05T09:30:00Z');
      drop role if exists "Old gateway";
      create role "Old gateway" login password 'secret';
      grant usage on schema sightline to "Old gateway";
      grant select, update on all tables in schema sightline to "Old gateway"`);
    await (await open(NEVER)).close();
    const records = await open(NEVER, database.url.replace('sightline:', 'Old%20gateway:'));
    expect(await lastUses(records)).toEqual(['2026-01-05T09:30:00.000Z']);
    expect(await admit(records, [hash])).toMatchObject([{ standing: 'counted', limit: 60, used: 1 }]);
    const [used] = await lastUses(records);
    await records.close();
    expect([await batches(), await folded()]).toEqual([0, [used]]);
    await database.session.ask('drop owned by "Old gateway"; drop role "Old gateway"');
  });
});
