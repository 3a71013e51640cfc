import { Failure } from '../../lib/failure.ts';
import type { RecordsPurpose } from './records.ts';
import { readMigrations } from './sql.ts';
import type { Dialect, RunSql } from './sql.ts';

/** The newest migration that this version of the code knows. */
export function knownSchemaVersion(dialect: Dialect): number {
  return readMigrations(dialect).length;
}

/** The newest migration that has run in a database; 0 if none. Changes nothing. */
export async function postgresSchemaVersion(rows: RunSql): Promise<number> {
  const [found] = await rows<{ is_there: boolean }>('postgres/sql/find-migrations');
  if (found?.is_there !== true) return 0;
  const [newest] = await rows<{ version: number }>('postgres/sql/list-migrations');
  return newest!.version;
}

/**
 * Brings the schema up to date, inside the caller's transaction, after `lock-migrations`. If it is up to date, nothing is
 * written, so that a gateway can run as a user without the right to create tables.
 */
export async function migratePostgres(
  version: number,
  rows: RunSql,
  execute: (sql: string) => Promise<void>,
): Promise<void> {
  if (version === 0) await rows('postgres/sql/create-migrations');
  for (const migration of readMigrations('postgres').slice(version)) {
    await execute(migration.sql);
    await rows('postgres/sql/record-migration', migration.version, migration.file);
  }
}

/**
 * A gateway must not create records: empty ones respond 401 to every customer, and look healthy.
 * @param what such as `does not exist`
 */
export function noRecords(name: string, what: string): Failure {
  return new Failure(
    `${name} ${what}: correct RECORDS_URL, or create the records with "npm run records -- migrate" or "workspace set"`,
  );
}

/** @throws Failure if a program with this purpose must not work with a schema of this version. */
export function demandSchema(purpose: RecordsPurpose, name: string, dialect: Dialect, version: number): void {
  const known = knownSchemaVersion(dialect);
  if (version > known) {
    throw new Failure(`${name} has schema version ${version}, made by a newer version of sightline`);
  }
  if (purpose === 'create') return;
  if (version === 0) throw noRecords(name, 'contains no records');
  if (purpose === 'manage' && version < known) {
    throw new Failure(
      `${name} has schema version ${version}, this version of sightline needs ${known}: upgrade it with "npm run records -- migrate"`,
    );
  }
}
