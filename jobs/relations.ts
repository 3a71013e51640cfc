import { readFile } from 'node:fs/promises';
import { execute, rowsOf, textList } from './duckdb.ts';
import type { Connection, Parameters } from './duckdb.ts';
import { literal, parquetFiles } from './literals.ts';

/** Reads `NAME.sql` next to a module. */
export async function sqlNextTo({ url }: Pick<ImportMeta, 'url'>, name: string): Promise<string> {
  return await readFile(new URL(`${name}.sql`, url), 'utf8');
}

/** Runs the statements of `NAME.sql` next to a module. Each gets those of the parameters that it names. */
export async function runScript(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters?: Parameters,
): Promise<void> {
  await execute(connection, await sqlNextTo(module, name), parameters);
}

/** Makes the macros of methodology.sql. */
export async function makeMacros(connection: Connection): Promise<void> {
  await runScript(connection, import.meta, 'methodology');
}

/** Runs the one select of `NAME.sql` next to a module into a table of that name, with `_` for `-`. */
export async function makeTable(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters?: Parameters,
): Promise<void> {
  const table = name.replaceAll('-', '_');
  await execute(
    connection,
    `create or replace table ${table} as ${await sqlNextTo(module, name)}`,
    parameters,
  );
}

/** The rows of the one select of `NAME.sql` next to a module. For small results. */
export async function selectRows<Row>(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters?: Parameters,
): Promise<Row[]> {
  return await rowsOf<Row>(connection, await sqlNextTo(module, name), parameters);
}

/** The number of rows of a table, a view or files. */
export async function countRows(connection: Connection, relation: string): Promise<number> {
  const [row] = await rowsOf<{ rows: number }>(
    connection,
    `select count(*)::double as rows from ${relation}`,
  );
  return row!.rows;
}

/** Writes the rows of a query to a file, and returns how many there are. @param options of `copy` */
export async function copyRows(
  connection: Connection,
  query: string,
  path: string,
  options: string,
): Promise<number> {
  const copy = `copy (${query}) to ${literal(path)} (${options})`;
  const [copied] = await rowsOf<{ Count: bigint }>(connection, copy);
  return Number(copied!.Count);
}

/** Makes a view of Parquet files. @param none a query with their columns, for when there are none; its rows are left out */
export async function viewParquet(
  connection: Connection,
  view: string,
  paths: readonly string[],
  none: string,
): Promise<void> {
  const rows = paths.length === 0 ? `${none} limit 0` : `from ${parquetFiles(paths)}`;
  await execute(connection, `create or replace view ${view} as ${rows}`);
}

type ColumnType = 'varchar' | 'uuid' | 'date' | 'bigint' | 'integer';

/** Makes a table of these columns and rows. */
export async function makeTableOf<Name extends string>(
  connection: Connection,
  table: string,
  columns: Record<Name, ColumnType>,
  rows: readonly Record<NoInfer<Name>, string | number | bigint>[],
): Promise<void> {
  const all = Object.entries(columns) as [Name, ColumnType][];
  const lists = all.map(([name]) => [name, textList(rows.map((row) => String(row[name])))] as const);
  const unnested = all.map(([name, type]) => `unnest($${name})::${type} as ${name}`);
  const sql = `create or replace table ${table} as select ${unnested.join(', ')}`;
  await execute(connection, sql, Object.fromEntries(lists));
}
