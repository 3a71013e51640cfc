import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { newKey, storedForm } from '../../../gateway/admission/keys.ts';
import { copyRecords } from '../../../gateway/records/copy/copy.ts';
import type { CopyReport } from '../../../gateway/records/copy/copy.ts';
import { openRecords } from '../../../gateway/records/open.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseRecordsLocation } from '../../../lib/config.ts';
import type { RecordsLocation } from '../../../lib/config.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openSession } from '../../support/postgres.ts';
import type { TestPostgres } from '../../support/postgres.ts';

export const one = '11111111-1111-4111-8111-111111111111';
export const two = '22222222-2222-4222-8222-222222222222';
export type Kind = RecordsLocation['kind'];

/** The address of records that do not exist yet. */
export async function newAddress(kind: Kind, server: TestPostgres): Promise<string> {
  if (kind === 'postgres') return await server.createDatabase();
  return `sqlite:${join(await temporaryFolder(), 'below', 'records.db')}`;
}

const locationOf = (address: string) => parseRecordsLocation(address)!;

export async function copy(from: string, to: string): Promise<CopyReport> {
  return await copyRecords(locationOf(from), locationOf(to));
}

export async function open(address: string): Promise<Records> {
  const options = { purpose: 'create' as const, clock: systemClock, maxWaitMs: 5000, batchesAtOnce: 1 };
  const records = await openRecords(locationOf(address), options);
  onTestFinished(() => records.close().catch(() => undefined)); // most are closed before
  return records;
}

/** Runs statements on the database directly. */
export async function sql(address: string, forSqlite: string, forPostgres = forSqlite): Promise<unknown[]> {
  const location = locationOf(address);
  if (location.kind === 'sqlite') {
    const database = new DatabaseSync(location.path);
    const rows = forSqlite.startsWith('select') ? database.prepare(forSqlite).all() : [];
    if (rows.length === 0) database.exec(forSqlite);
    database.close();
    return rows.map((row) => Object.fromEntries(Object.entries(row)));
  }
  const session = openSession(location.url);
  const rows = await session.ask(forPostgres);
  await session.end();
  return rows;
}

/** Two workspaces, one with a plan that was added manually; keys that were labelled, used, revoked; ids from 40 on. */
export async function fill(address: string): Promise<{ used: string; unused: string; revoked: string }> {
  const records = await open(address);
  await records.setWorkspace({ id: two, name: 'Zwölf "GmbH" 🏷', plan: 'Scale', requestsPerMinute: null });
  await records.setWorkspace({ id: one, name: 'One', plan: 'trial', requestsPerMinute: 7 });
  await sql(
    address,
    "insert into plans values ('trial', 3); update sqlite_sequence set seq = 39 where name = 'keys'; insert into sqlite_sequence select 'keys', 39 where not exists (select 1 from sqlite_sequence where name = 'keys')",
    "insert into sightline.plans values ('trial', 3); alter sequence sightline.keys_id_seq restart with 40",
  );
  const make = async (workspace: string, label: string | null) => {
    const stored = storedForm(newKey());
    await records.createKey(workspace, stored, label);
    return stored;
  };
  const [used, unused, revoked] = [
    await make(one, 'für montags'),
    await make(two, null),
    await make(one, ''),
  ];
  await records.admit([
    { hash: used.hash, requests: 3 },
    { hash: revoked.hash, requests: 1 },
  ]);
  await records.revokeKey(revoked.prefix);
  await records.close();
  return { used: used.hash, unused: unused.hash, revoked: revoked.hash };
}

/** Every table with every column, in SQLite's names. */
export const tables = {
  plans: 'select name, requests_per_minute from plans order by name',
  workspaces: 'select number, id, name, plan, requests_per_minute from workspaces order by number',
  counts: 'select workspace, minute, requests from minute_counts order by workspace',
  keys: 'select id, workspace, hash, prefix, label, created_at, revoked_at from keys order by id',
  uses: 'select key, last_used_at from key_uses order by key',
};

const inPostgres = (text: string) =>
  text
    .replace(/(?<=from )/, 'sightline.')
    .replace(' hash', " encode(hash, 'hex') as hash")
    .replaceAll(/\w+_at\b/g, '(floor(extract(epoch from $&) * 1000))::float8 as $&')
    .replace(' requests ', ' requests::float8 ');

/** Every row in SQLite's format: times in milliseconds. */
export async function everything(address: string): Promise<Record<string, unknown[]>> {
  const read = Object.entries(tables).map(async ([name, text]) => [
    name,
    await sql(address, text, inPostgres(text)),
  ]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, unknown[]>;
}
