import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { execute, executeCreating, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { literalList, quoted } from '../literals.ts';
import { makeMacros, runScript } from '../relations.ts';

/** A script that makes the records of a drop from the files of an export (docs/importing.md). */
export interface Mapping {
  /** Of a mapping that ships, or of its file. */
  name: string;
  sql: string;
  sha256: string;
}

export interface MappingSettings {
  /** What `--set` gave. */
  settings: Record<string, string>;
  /** Names of engines, in lower case, with the engines that they stand for, or `skip`: what `--engine` gave. */
  engines: Record<string, string>;
}

interface Surroundings extends MappingSettings {
  clock: Clock;
}

/** A table that a mapping declares: which columns it reads from which of the given files. */
export interface Declared {
  /** Of a `source` a file must be given, of an `extra` one may be. */
  schema: 'source' | 'extra';
  name: string;
  columns: { name: string; type: string; isNullable: boolean }[];
}

/** The columns of a mapping's views, in lower case, by the views' names. */
export type Views = ReadonlyMap<string, readonly string[]>;

const SHIPPED = new URL('mappings/', import.meta.url);

/** @param name of a mapping that ships, or the path of an SQL file. @throws Failure when there is none. */
export async function readMapping(name: string): Promise<Mapping> {
  const shipped = (await readdir(SHIPPED)).toSorted();
  const isShipped = shipped.includes(name);
  if (!isShipped && !name.endsWith('.sql'))
    throw new Failure(
      `there is no mapping ${name}; give a file that ends in .sql, or one of ${shipped.join(', ')}`,
    );
  const path = isShipped ? new URL(`${name}/mapping.sql`, SHIPPED) : name;
  const sql = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Failure(`the mapping ${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  if (!/\bcreate\b/i.test(sql)) throw new Failure(`the mapping ${name} creates nothing`);
  return { name: basename(name), sql, sha256: sha256(sql) };
}

/** The names of the settings that a mapping asks for, itself or through the helpers. */
export function settingsOf({ sql }: Mapping): string[] {
  const own = [...sql.matchAll(/(?:\b|_)setting\(\s*'([^']*)'/g)].map(([, key]) => key!);
  const ofWorkspace = sql.includes('workspace_of(') ? ['workspace', 'workspace_id'] : [];
  return [...new Set(['created_at', ...ofWorkspace, ...own])].toSorted();
}

/** Makes the helpers and the settings. */
export async function prepareHelpers(
  connection: Connection,
  { settings, engines, clock }: Surroundings,
): Promise<void> {
  await makeMacros(connection);
  await runScript(connection, import.meta, '../ingest/contract');
  const tomorrow = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
  await execute(
    connection,
    `set variable settings = ${mapOf(settings)}; set variable engines = ${mapOf(engines)};
     set variable tomorrow = date '${tomorrow}'`,
  );
  await runScript(connection, import.meta, 'helpers');
}

const DAY_MS = 86_400_000;

function mapOf(record: Record<string, string>): string {
  return `map(${literalList(Object.keys(record))}, ${literalList(Object.values(record))})`;
}

const DECLARATION =
  /\bcreate\s+(?:or\s+replace\s+)?table\s+(?:if\s+not\s+exists\s+)?"?(?:source|extra)"?\s*\./gi;

/**
 * Reads what a mapping declares. Only the statements that declare run, and nothing is left of them.
 * @returns the tables, and how many statements declare: the first ones
 * @throws Failure with the mapping's name and what is wrong in it.
 */
export async function readDeclared(
  connection: Connection,
  { name, sql }: Mapping,
): Promise<{ tables: Declared[]; statements: number }> {
  await execute(connection, 'create schema source; create schema extra');
  const statements = [...sql.replaceAll(/--.*/g, '').matchAll(DECLARATION)].length;
  await executeCreating(connection, sql, { to: statements });
  const tables = await rowsOf<Declared>(connection, DECLARED);
  if (tables.length < statements)
    throw new Failure(`mapping ${name} must declare the tables of source and extra before anything else`);
  if (!tables.some(({ schema }) => schema === 'source'))
    throw new Failure(`mapping ${name} declares no table in the schema source`);
  for (const table of tables) await execute(connection, `drop table ${table.schema}.${quoted(table.name)}`);
  return { tables, statements };
}

const DECLARED = `
  select
    schema_name as schema,
    table_name as name,
    list({'name': column_name, 'type': data_type, 'isNullable': is_nullable} order by column_index) as columns
  from duckdb_columns()
  where schema_name in ('source', 'extra')
  group by schema_name, table_name, table_oid
  order by table_oid`;

/** Runs the statements of a mapping from one on. Needs the tables that it declares. */
export async function makeViews(connection: Connection, { sql }: Mapping, from: number): Promise<Views> {
  await executeCreating(connection, sql, { from });
  const views = await rowsOf<{ name: string; columns: string[] }>(connection, VIEWS);
  return new Map(views.map(({ name, columns }) => [name, columns]));
}

const VIEWS = `
  select lower(table_name) as name, list(lower(column_name)) as columns
  from duckdb_columns()
  where schema_name = 'main' and not internal
  group by all`;

/** @throws Failure in one line, for what a mapping or a file of an export did wrong. */
export function failBy({ name }: Pick<Mapping, 'name'>, error: unknown): never {
  if (error instanceof Failure || (error instanceof Error && 'code' in error)) throw error;
  throw new Failure(`mapping ${name}: ${reasonInOneLine(error)}`, { cause: error });
}

/** The reason of a failure, and DuckDB's without its class, its advice, and the line of SQL. */
export function reasonInOneLine(error: unknown): string {
  const text = reasonOf(error);
  const csv =
    /CSV Error on Line: (\d+)\n(?:Original Line: [^]*?\n)?([^\n]+)\n\n?[^]*? {2}file = ([^\n]+)/.exec(text);
  if (csv !== null) return `${csv[3]} line ${csv[1]}: ${csv[2]}${csvAdvice(csv[2]!)}`;
  return text.split('\n')[0]!.replace(/^(?:Invalid Input|Binder|Conversion|Catalog|Parser|IO) Error: /, '');
}

function csvAdvice(reason: string): string {
  if (reason.startsWith('Invalid unicode')) return '; save it as UTF-8 (in Excel: CSV UTF-8)';
  return /Number of Columns/.test(reason) ? '; put a cell with a separator or a line break in quotes' : '';
}
