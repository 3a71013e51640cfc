import { Failure } from '../../../lib/failure.ts';
import type { RunSql } from './database.ts';
import { readMigrations } from '../sql.ts';

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
  await rows('schema/lock-migrations');
  const [found] = await rows<{ is_there: boolean }>('schema/find-migrations');
  if (found?.is_there !== true) await rows('schema/create-migrations');
  const [newest] = await rows<{ version: number }>('schema/list-migrations');
  const version = newest?.version ?? 0;
  if (version > migrations.length) {
    throw new Failure(`${name} were made by a newer version of sightline`);
  }
  for (const migration of migrations.slice(version)) {
    await execute(migration.sql);
    await rows('schema/record-migration', migration.version, migration.file);
  }
}
