import type { RecordsLocation } from '../../lib/config.ts';
import { openPostgresRecords } from './postgres/records.ts';
import type { Records, RecordsOptions } from './records.ts';
import { openSqliteRecords } from './sqlite/records.ts';

/** Opens the records that `RECORDS_URL` names. @throws Failure if they cannot be opened or have another schema. */
export async function openRecords(location: RecordsLocation, options: RecordsOptions): Promise<Records> {
  switch (location.kind) {
    case 'sqlite':
      return openSqliteRecords(location.path, options);
    case 'postgres':
      return await openPostgresRecords(location.url, options);
  }
}
