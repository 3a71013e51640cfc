import type { Connection } from '../duckdb.ts';
import { makeRecordTables } from '../lake/records.ts';
import { makeMacros, runScript } from '../relations.ts';

/** Makes the macros and the empty tables of an ingest. A staged record has the file and line that it came from. */
export async function makeTables(connection: Connection): Promise<void> {
  await makeMacros(connection);
  await runScript(connection, import.meta, 'contract');
  await makeRecordTables(connection, 'staged', 'null::varchar as file, null::bigint as line,');
  await runScript(connection, import.meta, 'staging');
}
