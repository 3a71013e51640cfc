import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { Failure, isSystemError, reasonOf, Unreachable } from '../../../lib/failure.ts';
import { RECORDS_WAIT_MS } from '../../time-limits.ts';
import type { RecordsOptions } from '../records.ts';
import { demandSchema, noRecords } from '../schema.ts';
import { readMigrations, readSqliteSql } from '../sql.ts';
import type { SqlFile, SqlParameter } from '../sql.ts';

/** One SQLite file with our schema. The only file that imports the driver. */
export interface SqliteDatabase {
  /** Runs the statement of a file, which stays prepared, and returns its rows as objects. */
  rows<Row>(file: SqlFile, ...parameters: SqlParameter[]): Row[];
  /** Runs work in one transaction that locks out other writers from its start. */
  transaction<T>(work: () => T): T;
  /** All rows of a table, with all columns. */
  readTable(name: string): object[];
  /** The newest migration that has run in it; 0 if none. */
  schemaVersion(): number;
  close(): void;
}

/** About one second of admissions under full load; a longer read transaction makes the WAL grow beyond it. */
const LOG_BYTES = 16 * 1024 * 1024;

export type SqliteOptions = Pick<RecordsOptions, 'clock' | 'purpose'> &
  Partial<Pick<RecordsOptions, 'maxWaitMs'>>;

/**
 * Opens the file and checks that it can be written.
 * @throws Failure, also if it is another program's database, which is not changed.
 */
export function openSqliteDatabase(path: string, options: SqliteOptions): SqliteDatabase {
  const { maxWaitMs = RECORDS_WAIT_MS.sqlite, purpose = 'create', clock } = options;
  const name = `records file ${path}`;
  return failingWith(`${name} cannot be opened`, () => {
    if (purpose === 'create') makePrivateFile(path);
    else if (!existsSync(path)) throw noRecords(name, 'does not exist');
    using unfinished = new DisposableStack();
    const database = unfinished.use(new DatabaseSync(path, { timeout: maxWaitMs }));
    database.function('now', () => new Date(clock.now()).toISOString());
    const opened = wrap(database, `${name} cannot be used`);
    demandOurs(database, name);
    demandSchema(purpose, name, 'sqlite', opened.schemaVersion());
    // A gateway does not sync its commits: a power cut may lose the counts and last uses of the last seconds; a crash
    // of the process loses nothing. A command syncs: a change that it reported must last, above all a revocation.
    const synchronous = purpose === 'serve' ? 'normal' : 'full';
    database.exec(`pragma journal_mode = wal; pragma journal_size_limit = ${LOG_BYTES};
      pragma synchronous = ${synchronous}; pragma foreign_keys = on`);
    if (purpose !== 'manage') migrate(database, opened, name);
    unfinished.move();
    return opened;
  });
}

/** Makes an empty file that only its owner can read, unless there is one. SQLite gives its -wal and -shm the same mode. */
function makePrivateFile(path: string): void {
  if (path === ':memory:') return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Reads a file as of one instant, without creating, changing or migrating anything, while other processes may write.
 * @throws Failure if there is no such file or it cannot be read.
 */
export function readSqliteDatabase<T>(
  path: string,
  maxWaitMs: number,
  work: (reading: Omit<SqliteDatabase, 'transaction' | 'close'>) => T,
): T {
  const complaint = `records file ${path} cannot be read`;
  return withFile(path, maxWaitMs, complaint, (database) => {
    database.exec('pragma query_only = on; begin');
    return work(wrap(database, complaint));
  });
}

/**
 * Writes a consistent copy of a file into a new or empty one, while other processes may write.
 * @throws Failure
 */
export function vacuumInto(to: string, from: string, maxWaitMs: number): void {
  const copy = (database: DatabaseSync) => database.prepare('vacuum into ?').run(to);
  withFile(from, maxWaitMs, `records file ${from} cannot be copied`, copy);
}

function withFile<T>(
  path: string,
  maxWaitMs: number,
  complaint: string,
  work: (database: DatabaseSync) => T,
): T {
  if (!existsSync(path)) throw new Failure(`records file ${path} does not exist`);
  return failingWith(complaint, () => {
    // Not read-only: a read-only connection leaves its -wal and -shm files behind, owned by the user who ran the
    // command.
    using database = new DatabaseSync(path, { timeout: maxWaitMs });
    return work(database);
  });
}

function wrap(database: DatabaseSync, complaint: string): SqliteDatabase {
  const statements = new Map<SqlFile, StatementSync>();
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  return {
    rows<Row>(file: SqlFile, ...parameters: SqlParameter[]) {
      return failingWith(complaint, () => {
        const prepared = statements.get(file) ?? database.prepare(readSqliteSql(file));
        statements.set(file, prepared);
        return prepared.all(...parameters) as Row[];
      });
    },
    transaction(work) {
      return failingWith(complaint, () => {
        begin.run();
        try {
          const result = work();
          commit.run();
          return result;
        } catch (error) {
          if (database.isTransaction) database.exec('rollback');
          throw error;
        }
      });
    },
    readTable: (name) => database.prepare(`select * from ${name}`).all(),
    schemaVersion: () => Number(database.prepare('pragma user_version').get()?.['user_version']),
    close: () => database.close(),
  };
}

/** @throws Failure with this complaint, instead of an error of SQLite or of the operating system. */
function failingWith<T>(complaint: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, errcode } = error as { code?: string; errcode: number };
    if (code !== 'ERR_SQLITE_ERROR' && !isSystemError(error)) throw error;
    const isAway = isSystemError(error) || AWAY.has(errcode % 256);
    throw new (isAway ? Unreachable : Failure)(`${complaint}: ${reasonOf(error)}`, { cause: error });
  }
}

/** SQLite's codes of a file that is locked, read-only, on a broken or full disk, or cannot be opened. */
const AWAY = new Set([5, 6, 8, 10, 13, 14]);

/** @throws Failure if the file contains tables of another program. */
function demandOurs(database: DatabaseSync, name: string): void {
  const tables = database.prepare(readSqliteSql('sqlite/sql/count-tables')).get() as {
    all: number;
    ours: number;
  };
  if (tables.all > 0 && tables.ours < 3) throw new Failure(`${name} is the database of another program`);
}

/** Writes the version even if it is unchanged: a file that cannot be written must be refused now. */
function migrate(database: DatabaseSync, opened: SqliteDatabase, name: string): void {
  const migrations = readMigrations('sqlite');
  opened.transaction(() => {
    const version = opened.schemaVersion();
    demandSchema('create', name, 'sqlite', version); // another process may have migrated it meanwhile
    for (const migration of migrations.slice(version)) database.exec(migration.sql);
    database.exec(`pragma user_version = ${migrations.length}`);
  });
}
