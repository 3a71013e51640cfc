import type { RecordsLocation } from '../../lib/config.ts';
import { openPostgresRecords } from './postgres/records.ts';
import type { Records, RecordsOptions } from './records.ts';
import { openSqliteRecords } from './sqlite/records.ts';

/** Opens the records that `RECORDS_URL` names. @throws Failure if they cannot be opened or have another schema. */
export async function openRecords(location: RecordsLocation, options: RecordsOptions): Promise<Records> {
  return await opening[location.kind](location as never, options);
}

type Open<Location> = (location: Location, options: RecordsOptions) => Records | Promise<Records>;

const opening = {
  sqlite: ({ path }, options) => openSqliteRecords(path, options),
  postgres: async ({ url }, options) => await openPostgresRecords(url, options),
} satisfies { [Kind in RecordsLocation['kind']]: Open<Extract<RecordsLocation, { kind: Kind }>> };
