import { readFile } from 'node:fs/promises';
import { execute, rowsOf, textList } from './duckdb.ts';
import type { Connection, Parameters } from './duckdb.ts';

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

type Column =
  | { type: 'varchar' | 'uuid' | 'date' | 'bigint'; values: readonly string[] }
  | { type: 'integer'; values: readonly number[] };

/** Makes a table of columns of equal length. */
export async function makeTableOf(
  connection: Connection,
  table: string,
  columns: Record<string, Column>,
): Promise<void> {
  const all = Object.entries(columns);
  const types = all.map(([name, { type }]) => `${name} ${type}`);
  await execute(connection, `create or replace table ${table} (${types.join(', ')})`);
  const lists = all.map(([name, { values }]) => [name, textList(values.map(String))]);
  const unnested = all.map(([name, { type }]) => `unnest($${name})::${type} as ${name}`);
  await execute(
    connection,
    `insert into ${table} by name select ${unnested.join(', ')}`,
    Object.fromEntries(lists) as Parameters,
  );
}
