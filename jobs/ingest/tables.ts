import { execute } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { makeMacros, sqlNextTo } from '../relations.ts';

/** Makes the macros and the empty tables of an ingest. */
export async function makeTables(connection: Connection): Promise<void> {
  await makeMacros(connection);
  await execute(connection, await sqlNextTo(import.meta, 'contract'));
  await execute(connection, await sqlNextTo(import.meta, 'staging'));
}
