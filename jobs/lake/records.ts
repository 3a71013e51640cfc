import { execute } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { sqlNextTo } from '../relations.ts';

/**
 * Makes the empty table `PREFIX_KIND` for each kind of record, with the columns of its lake objects.
 * @param origin more columns, each with a comma after it
 */
export async function makeRecordTables(connection: Connection, prefix: string, origin = ''): Promise<void> {
  const sql = await sqlNextTo(import.meta, 'records');
  await execute(connection, sql.replaceAll('{prefix}', prefix).replaceAll('{origin}', origin));
}
