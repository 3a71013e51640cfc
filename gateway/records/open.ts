import type { Clock } from '../../lib/clock.ts';
import type { RecordsLocation } from '../../lib/config.ts';
import { openPostgresRecords } from './postgres/records.ts';
import type { Records, RecordsPurpose } from './records.ts';
import { openSqliteRecords } from './sqlite/records.ts';

export interface RecordsOptions {
  purpose: RecordsPurpose;
  /** SQLite's clock; PostgreSQL has its own, which all gateways share. */
  clock: Clock;
  /** Milliseconds to wait for a busy or silent database; with SQLite the whole process waits. */
  maxWaitMs: number;
  /** Concurrent batches of admissions; SQLite always handles one. */
  batchesAtOnce: number;
}

/** Opens the records that `RECORDS_URL` names. @throws Failure if they cannot be opened or have another schema. */
export async function openRecords(location: RecordsLocation, options: RecordsOptions): Promise<Records> {
  const { purpose, clock, maxWaitMs, batchesAtOnce } = options;
  return location.kind === 'sqlite'
    ? openSqliteRecords(location.path, { purpose, clock, busyTimeoutMs: maxWaitMs })
    : await openPostgresRecords(location.url, { purpose, maxWaitMs, admissionsAtOnce: batchesAtOnce });
}
