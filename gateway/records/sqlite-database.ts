import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { readMigrations, readSql } from './sql.ts';

/** One SQLite file with our schema; the only file that knows the driver. */
export interface SqliteDatabase {
  /** Runs `gateway/records/sql/sqlite/NAME.sql` and returns its rows as objects. */
  rows<Row>(name: string, ...parameters: SQLInputValue[]): Row[];
  /** The same statement prepared for the hot path: rows are arrays, in the order of the select list. */
  prepare(name: string): PreparedSql;
  /** All or nothing, and alone among the writers from its start. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export interface PreparedSql {
  all(...parameters: SQLInputValue[]): unknown[][];
  run(...parameters: SQLInputValue[]): void;
}

/**
 * Opens the file; makes it, with its folder, where there is none; brings the schema up to date.
 * @throws Failure
 */
export function openSqliteDatabase(path: string, busyTimeoutMs: number): SqliteDatabase {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    // NORMAL: a commit is written but not synced, so that a machine that dies may lose the last moments' counts
    // and stamps; a process that dies loses nothing.
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on');
    const opened = wrap(database);
    migrate(database, opened, path);
    return opened;
  } catch (error) {
    database?.close();
    if (error instanceof Failure) throw error;
    throw new Failure(`records file ${path} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

/** A file as it is: one consistent reading of it, in which nothing is written. */
export interface SqliteReading extends Pick<SqliteDatabase, 'rows'> {
  /** The newest migration that has run in it; 0 where none has. */
  schemaVersion(): number;
}

/**
 * Reads a file without making, changing or migrating anything, while others may go on writing.
 * @throws Failure where there is no such file or it cannot be read.
 */
export function readSqliteDatabase<T>(
  path: string,
  busyTimeoutMs: number,
  work: (reading: SqliteReading) => T,
): T {
  if (!existsSync(path)) throw new Failure(`records file ${path} does not exist`);
  let database: DatabaseSync | undefined;
  try {
    // Not read-only: such a connection leaves the -wal and -shm files behind that it needs, owned by whoever ran it.
    database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    database.exec('pragma query_only = on; begin');
    const opened = database;
    return work({ ...wrap(opened), schemaVersion: () => versionOf(opened) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`records file ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  } finally {
    database?.close();
  }
}

const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a whole file into another, which is made or replaced in one transaction: whoever has it open goes on with
 * the copy. Others may go on writing to the source, and to the target until then.
 * @throws Failure
 */
export async function copySqliteFile(from: string, to: string, busyTimeoutMs: number): Promise<void> {
  if (!existsSync(from)) throw new Failure(`records file ${from} does not exist`);
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(from, { timeout: busyTimeoutMs });
    for (const until = performance.now() + busyTimeoutMs; ; await sleep(5)) {
      try {
        // In one step: between steps, each write to the source would make it begin again, for ever beside a gateway.
        await backup(source, to, { rate: ALL_PAGES });
        return;
      } catch (error) {
        if (!isWrittenTo(error) || performance.now() > until) throw error;
      }
    }
  } catch (error) {
    const reason = isWrittenTo(error) ? 'others do not stop writing to it' : reasonOf(error);
    throw new Failure(`records file ${from} cannot be copied to ${to}: ${reason}`, { cause: error });
  } finally {
    source?.close();
  }
}

/** The driver does not wait for the target's writers, and reports them as "not an error". */
function isWrittenTo(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 0;
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

function wrap(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, StatementSync>();
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  return {
    rows<Row>(name: string, ...parameters: SQLInputValue[]) {
      const statement = statements.get(name) ?? database.prepare(readSql('sqlite', name));
      statements.set(name, statement);
      return statement.all(...parameters) as Row[];
    },
    prepare(name) {
      const statement = database.prepare(readSql('sqlite', name));
      statement.setReturnArrays(true);
      return {
        all: (...parameters) => statement.all(...parameters) as unknown as unknown[][],
        run: (...parameters) => void statement.run(...parameters),
      };
    },
    transaction(work) {
      begin.run();
      try {
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },
    close: () => database.close(),
  };
}

function migrate(database: DatabaseSync, opened: SqliteDatabase, path: string): void {
  const migrations = readMigrations('sqlite');
  opened.transaction(() => {
    const version = versionOf(database);
    if (version > migrations.length) {
      throw new Failure(`records file ${path} was made by a newer version of sightline`);
    }
    for (const migration of migrations.slice(version)) {
      database.exec(migration.sql);
      database.exec(`pragma user_version = ${migration.version}`);
    }
  });
}
