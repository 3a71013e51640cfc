import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rm, stat, writeFile } from 'node:fs/promises';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { RecordCounts } from '../records.ts';
import { COMMAND_MAX_WAIT_MS } from '../records.ts';
import { demandSchema } from '../schema.ts';
import { readSqliteDatabase, vacuumInto } from './database.ts';

/** A backup: its path, its size and what it contains. */
export interface SqliteBackup extends RecordCounts {
  path: string;
  bytes: number;
}

/**
 * Copies a records file, as of one instant, while gateways use it. The copy gets its name only when it is complete, and
 * can be read by its owner only.
 * @throws Failure, also if `to` exists: a backup never replaces a file.
 */
export async function backUpSqlite(from: string, to: string): Promise<SqliteBackup> {
  if (existsSync(to)) throw new Failure(`${to} already exists; a backup never replaces a file`);
  const part = `${to}.part-${randomUUID()}`; // in containers, two processes may have the same id
  try {
    await writeFile(part, '', { flag: 'wx', mode: 0o600 }); // SQLite fills an empty file
    vacuumInto(part, from, COMMAND_MAX_WAIT_MS);
    const counts = readSqliteDatabase(part, COMMAND_MAX_WAIT_MS, (reading) => {
      demandSchema('manage', `records file ${from}`, 'sqlite', reading.schemaVersion());
      const [defect] = reading.rows<{ integrity_check: string }>('sqlite/sql/check-integrity'); // VACUUM copies many of them
      if (defect!.integrity_check !== 'ok') {
        throw new Failure(`records file ${from} is damaged: ${defect!.integrity_check}`);
      }
      return reading.rows<RecordCounts>('sql/count-records')[0]!;
    });
    await link(part, to); // a rename would replace a file that was created meanwhile
    return { path: to, ...counts, bytes: (await stat(to)).size };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`backup ${to} cannot be written: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
}
