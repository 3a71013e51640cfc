import { Failure } from '../../lib/failure.ts';
import type { RecordCounts } from './records.ts';
import { openPostgresDatabase } from './postgres/database.ts';
import { postgresName } from './postgres/settings.ts';
import { demandSchema } from './schema.ts';
import { readSqliteDatabase } from './sqlite/database.ts';

export interface CopyReport {
  from: string;
  to: string;
  /** The rows of both databases after the copy. */
  counts: RecordCounts;
}

/** The time limit of each statement; a hundred thousand keys take seconds. */
const MAX_WAIT_MS = 60_000;

/** In the order of insert-records.sql. */
const TABLES = ['workspaces', 'keys', 'minute_counts', 'checkpoints'];

/**
 * Copies all records, including ids, from an SQLite file to an empty PostgreSQL database: one consistent read of the
 * file, which gateways may still use, and one transaction.
 * @throws Failure if the file has another schema version, or the database is not empty
 */
export async function copyRecords(path: string, url: string): Promise<CopyReport> {
  const [from, to] = [`records file ${path}`, postgresName(url)];
  const { tables, counts } = readSqliteDatabase(path, MAX_WAIT_MS, (reading) => {
    demandSchema('manage', from, 'sqlite', reading.schemaVersion());
    return {
      tables: TABLES.map((name) => JSON.stringify(reading.readTable(name))),
      counts: reading.rows<RecordCounts>('sql/count-records')[0]!,
    };
  });
  const options = { purpose: 'create', maxWaitMs: MAX_WAIT_MS } as const;
  const database = await openPostgresDatabase(url, options);
  try {
    return await database.transaction(async (rows) => {
      const countNow = async () => (await rows<RecordCounts>('sql/count-records'))[0]!;
      const there = await countNow();
      if (there.workspaces > 0) {
        throw new Failure(`${to} is not empty: it has ${wordsFor(there)}; nothing was copied`);
      }
      await rows('postgres/sql/insert-records', ...tables);
      await rows('postgres/sql/continue-numbers');
      const written = wordsFor(await countNow());
      if (written !== wordsFor(counts)) {
        throw new Failure(`${to} got ${written} instead of ${wordsFor(counts)}; nothing was copied`);
      }
      return { from, to, counts: { ...counts } };
    });
  } finally {
    await database.close();
  }
}

function wordsFor(counts: RecordCounts): string {
  const { workspaces, keys, revokedKeys, usedKeys } = counts;
  return `${workspaces} workspaces and ${keys} keys (${revokedKeys} revoked, ${usedKeys} used so far)`;
}
