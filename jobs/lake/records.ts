import { execute } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { runScript } from '../relations.ts';
import { trackingKinds } from './layout.ts';

/**
 * Makes the empty tables `record_KIND` and `PREFIX_KIND` for each kind of record, with the columns of its lake objects.
 * @param origin more columns of the second, each with a comma after it
 */
export async function makeRecordTables(connection: Connection, prefix: string, origin = ''): Promise<void> {
  await runScript(connection, import.meta, 'records');
  const tables = [...trackingKinds, 'runs'].map(
    (kind) => `create table ${prefix}_${kind} as select ${origin} * from record_${kind}`,
  );
  await execute(connection, tables.join(';'));
}
