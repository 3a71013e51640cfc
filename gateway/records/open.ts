import type { Clock } from '../../lib/clock.ts';
import type { RecordsLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import type { Records } from './records.ts';
import { openSqliteRecords } from './sqlite.ts';

/** Opens the records that `RECORDS_URL` names and brings their schema up to date. @throws Failure */
export async function openRecords(
  location: RecordsLocation,
  options: { clock: Clock; busyTimeoutMs?: number },
): Promise<Records> {
  if (location.kind === 'sqlite') return openSqliteRecords(location.path, options);
  throw new Failure('RECORDS_URL: PostgreSQL is not served yet');
}
