import { Failure } from '../../../lib/failure.ts';
import { postgresSchemaVersion } from '../schema.ts';
import { readMigrations } from '../sql.ts';
import type { RunSql } from '../sql.ts';

/**
 * Brings the schema up to date, inside the caller's transaction. Gateways that start together take turns. If the schema
 * is up to date, nothing is written, so that a gateway can run as a user without the right to create tables.
 * @throws Failure if the schema was made by a newer version.
 */
export async function migratePostgres(
  name: string,
  rows: RunSql,
  execute: (sql: string) => Promise<void>,
): Promise<void> {
  const migrations = readMigrations('postgres');
  await rows('postgres/sql/lock-migrations');
  const version = await postgresSchemaVersion(rows);
  if (version === 0) await rows('postgres/sql/create-migrations');
  if (version > migrations.length) {
    throw new Failure(`${name} were made by a newer version of sightline`);
  }
  for (const migration of migrations.slice(version)) {
    await execute(migration.sql);
    await rows('postgres/sql/record-migration', migration.version, migration.file);
  }
}
