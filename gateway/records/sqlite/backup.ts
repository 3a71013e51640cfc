import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import { COMMAND_MAX_WAIT_MS } from '../records.ts';
import { readMigrations } from '../sql.ts';
import { copySqliteFile, makePrivateFile, openSqliteDatabase, readSqliteDatabase } from './database.ts';

/** A valid records file: its path, size and numbers of rows. */
export interface SqliteHoldings {
  path: string;
  workspaces: number;
  keys: number;
  bytes: number;
}

/**
 * Copies a records file, as of one instant, while gateways use it. The copy is checked, gets its name only when it is
 * complete, and can be read by its owner only.
 * @throws Failure, also if `to` exists: a backup never replaces a file.
 */
export async function backUpSqlite(from: string, to: string): Promise<SqliteHoldings> {
  if (existsSync(to)) throw new Failure(`${to} already exists; a backup never replaces a file`);
  const part = `${to}.part-${randomUUID()}`; // in containers, two processes may have the same id
  try {
    await writeFile(part, '', { flag: 'wx', mode: 0o600 });
    await copySqliteFile(from, part, COMMAND_MAX_WAIT_MS);
    await flush(part);
    const holdings = await holdingsOf(part);
    await link(part, to); // a rename would replace a file that was created meanwhile
    return { ...holdings, path: to };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`backup ${to} cannot be written: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export interface Restored extends SqliteHoldings {
  /** The path of the backup of the previous records; null if there were none. */
  kept: string | null;
}

/**
 * Replaces the content of a records file by a backup, in one transaction: gateways that have the file open continue
 * with the restored records. The previous records are first backed up next to it.
 * @param now in milliseconds since the Unix epoch; part of the name of that backup
 * @throws Failure if the backup is damaged or has an unknown schema version; then nothing has changed.
 */
export async function restoreSqlite(from: string, to: string, now: number): Promise<Restored> {
  await holdingsOf(from);
  const isThere = existsSync(to);
  if (isThere && (await realpath(from)) === (await realpath(to))) {
    throw new Failure(`${from} is the records file itself`);
  }
  const kept = isThere ? `${to}.before-${new Date(now).toISOString().replaceAll(/[-:]/g, '')}` : null;
  if (kept !== null) await backUpSqlite(to, kept);
  makePrivateFile(to);
  await copySqliteFile(from, to, COMMAND_MAX_WAIT_MS);
  openSqliteDatabase(to, { busyTimeoutMs: COMMAND_MAX_WAIT_MS, purpose: 'create' }).close(); // brings the schema of an old backup up to date
  return { ...(await holdingsOf(to)), kept };
}

/** @throws Failure if the file is damaged, or not a records file that this version can read. */
async function holdingsOf(path: string): Promise<SqliteHoldings> {
  const newest = readMigrations('sqlite').length;
  const counts = readSqliteDatabase(path, COMMAND_MAX_WAIT_MS, (reading) => {
    const damage = reading.rows<{ integrity_check: string }>('schema/check-integrity');
    if (damage[0]?.integrity_check !== 'ok') {
      throw new Failure(`records file ${path} is damaged: ${damage[0]?.integrity_check}`);
    }
    const version = reading.schemaVersion();
    if (version === 0) throw new Failure(`${path} is not a records file`);
    if (version > newest) throw new Failure(`records file ${path} was made by a newer version of sightline`);
    return reading.rows<{ workspaces: number; keys: number }>('schema/count-records')[0]!;
  });
  return { path, ...counts, bytes: (await stat(path)).size };
}
