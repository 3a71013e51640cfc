import type { Clock } from '../../lib/clock.ts';
import type { RecordsLocation } from '../../lib/config.ts';
import { openPostgresRecords } from './postgres/records.ts';
import type { Records, RecordsPurpose } from './records.ts';
import { openSqliteRecords } from './sqlite/records.ts';

export interface RecordsOptions {
  /** `serve` unless given. */
  purpose?: RecordsPurpose;
  /** SQLite's clock; PostgreSQL has its own, which all gateways share. */
  clock: Clock;
  /** How long to wait for the database where it is busy or does not answer; with SQLite the whole process waits. */
  maxWaitMs: number;
  /** Batches of admissions that may be asked about at one time; SQLite always does one. */
  batchesAtOnce: number;
  /** Called once when key usage stays in PostgreSQL's log, until it no longer does. */
  onFoldingFailed?: (error: unknown) => void;
}

/** Opens the records that `RECORDS_URL` names, as their purpose says. @throws Failure where that cannot be. */
export async function openRecords(location: RecordsLocation, options: RecordsOptions): Promise<Records> {
  const { purpose = 'serve', clock, maxWaitMs, batchesAtOnce, onFoldingFailed } = options;
  return location.kind === 'sqlite'
    ? openSqliteRecords(location.path, { purpose, clock, busyTimeoutMs: maxWaitMs })
    : await openPostgresRecords(location.url, {
        purpose,
        maxWaitMs,
        admissionsAtOnce: batchesAtOnce,
        onFoldingFailed,
      });
}
