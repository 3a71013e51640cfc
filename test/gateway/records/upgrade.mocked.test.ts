import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openPostgresRecords } from '../../../gateway/records/postgres/records.ts';
import type { Records, RecordsPurpose } from '../../../gateway/records/records.ts';
import { readMigrations } from '../../../gateway/records/sql.ts';
import type * as Sql from '../../../gateway/records/sql.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { eachDatabase } from './each-database.ts';
import { one } from './contract.ts';

// The real functions; a test adds a migration.
vi.mock('../../../gateway/records/sql.ts', async (original) => {
  const sql = await original<typeof Sql>();
  return { ...sql, readMigrations: vi.fn<typeof readMigrations>(sql.readMigrations) };
});
afterEach(() => vi.mocked(readMigrations).mockReset());

const database = eachDatabase();
const later = { version: 2, file: '0002-later.sql' };
const inSqlite = async () => {
  const path = join(await temporaryFolder(), 'records.db');
  return async (purpose: RecordsPurpose) => openSqliteRecords(path, { clock: systemClock, purpose });
};
const inPostgres = async () => async (purpose: RecordsPurpose) =>
  await openPostgresRecords(database.url, { batchesAtOnce: 1, maxWaitMs: 5000, purpose });

test.each(['sqlite', 'postgres'] as const)(
  'the migrations of %s are numbered from 1, without gaps',
  (dialect) => {
    const versions = readMigrations(dialect).map(({ version }) => version);
    expect(versions).toEqual(versions.map((_, at) => at + 1));
  },
);

test.each<[string, () => Promise<(purpose: RecordsPurpose) => Promise<Records>>]>([
  ['workspaces', inSqlite],
  ['sightline.workspaces', inPostgres],
])(
  'records of an older version (%s) are upgraded with their data, but not by commands that only manage them',
  async (table, place) => {
    const open = await place();
    const old = await open('create');
    await old.setWorkspace({ id: one, name: 'One', plan: 'agency', requestsPerMinute: 7 });
    await old.close();
    const known = vi.mocked(readMigrations).getMockImplementation()!;
    const sql = `alter table ${table} add column note text`;
    vi.mocked(readMigrations).mockImplementation((dialect) => [...known(dialect), { ...later, sql }]);
    await expect(open('manage')).rejects.toThrow(
      'has schema version 1, this version of sightline needs 2: upgrade it with "npm run records -- migrate"',
    );
    const upgraded = await open('serve');
    expect(await upgraded.listWorkspaces()).toMatchObject([{ name: 'One', requestsPerMinute: 7 }]);
    await upgraded.close();
    await (await open('manage')).close();
    vi.mocked(readMigrations).mockImplementation(known);
    await expect(open('create')).rejects.toThrow('made by a newer version of sightline');
  },
);
