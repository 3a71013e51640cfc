import { readFile } from 'node:fs/promises';
import { execute, rowsOf, textList } from './duckdb.ts';
import type { Connection, Parameters } from './duckdb.ts';
import { literal, parquetFiles } from './literals.ts';
import { assertMade, headOf, recordMade } from './script-heads.ts';
import type { ScriptHead } from './script-heads.ts';

/** Reads `NAME.sql` next to a module. */
export async function sqlNextTo({ url }: Pick<ImportMeta, 'url'>, name: string): Promise<string> {
  return await readFile(new URL(`${name}.sql`, url), 'utf8');
}

/** Reads a script, and checks that all that it needs was made. */
async function readyScript(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
): Promise<{ sql: string } & ScriptHead> {
  const sql = await sqlNextTo(module, name);
  const head = headOf(sql);
  await assertMade(connection, name, head.needs);
  return { sql, ...head };
}

/**
 * Runs the statements of `NAME.sql` next to a module. Each gets those of the parameters that it names.
 * @throws an Error if something that its head says it needs was not made, or is out of date; so do the two below
 */
export async function runScript(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters?: Parameters,
): Promise<void> {
  const { sql, needs, makes } = await readyScript(connection, module, name);
  await execute(connection, sql, parameters);
  recordMade(connection, makes, needs);
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
  const { sql, needs } = await readyScript(connection, module, name);
  await execute(connection, `create or replace table ${table} as ${sql}`, parameters);
  recordMade(connection, [table], needs);
}

/** The rows of the one select of `NAME.sql` next to a module. For small results. */
export async function selectRows<Row>(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters?: Parameters,
): Promise<Row[]> {
  const { sql } = await readyScript(connection, module, name);
  return await rowsOf<Row>(connection, sql, parameters);
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

/** Makes a view of a query. */
export async function makeView(connection: Connection, view: string, sql: string): Promise<void> {
  await execute(connection, `create or replace view ${view} as ${sql}`);
  recordMade(connection, [view]);
}

/**
 * Makes a view of Parquet files.
 * @param none a query with the view's columns, for when there are no files; its rows are left out
 */
export async function viewParquet(
  connection: Connection,
  view: string,
  paths: readonly string[],
  none: string,
  columns = '*',
): Promise<void> {
  const rows = paths.length === 0 ? `${none} limit 0` : `select ${columns} from ${parquetFiles(paths)}`;
  await makeView(connection, view, rows);
}

type ColumnType = 'varchar' | 'uuid' | 'date' | 'bigint' | 'integer' | 'boolean';

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
  recordMade(connection, [table]);
}
