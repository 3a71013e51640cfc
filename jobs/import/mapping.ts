import { readFile, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { execute, executeCreating, openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { literal, literalList } from '../literals.ts';
import { makeMacros, runScript } from '../relations.ts';
import { PLACE } from './read/tables.ts';

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

/** A table that a mapping declares: which columns it reads from which of the given files. */
export interface Declared {
  /** Of a `source` a file must be given, of an `extra` one may be. */
  schema: 'source' | 'extra';
  name: string;
  columns: { name: string; type: string; isNullable: boolean }[];
}

/** What a mapping turned out to be without any file. */
export interface MappingPlan {
  declared: Declared[];
  /** The statements that declare. */
  declarations: ReadonlySet<number>;
  /** The columns of its views, in lower case, by the views' names. */
  views: ReadonlyMap<string, readonly string[]>;
}

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
  return { name: isShipped ? name : basename(name), sql, sha256: sha256(sql) };
}

/** The names of the settings that a mapping asks for. */
export function settingsOf({ sql }: Mapping): string[] {
  return [...new Set([...sql.matchAll(/(?:\b|_)setting\(\s*'([^']*)'/g)].map(([, key]) => key!))].toSorted();
}

/** Makes the helpers, the settings, and the schemas in which a mapping declares. */
export async function prepareHelpers(
  connection: Connection,
  { settings, engines }: MappingSettings,
): Promise<void> {
  await makeMacros(connection);
  await runScript(connection, import.meta, '../ingest/contract');
  await execute(
    connection,
    `set variable settings = ${mapOf(settings)}; set variable engines = ${mapOf(engines)}`,
  );
  await runScript(connection, import.meta, 'helpers');
  await execute(connection, 'create schema source; create schema extra');
}

function mapOf(record: Record<string, string>): string {
  return `map(${literalList(Object.keys(record))}, ${literalList(Object.values(record))})`;
}

/**
 * Runs a mapping on empty tables, in a database that can read nothing.
 * @throws Failure with the mapping's name and what is wrong in it.
 */
export async function planMapping(
  mapping: Mapping,
  settings: MappingSettings,
  scratch: string,
): Promise<MappingPlan> {
  using database = await openDatabase({ scratch, access: { files: [], folders: [] } });
  const connection = await database.connect();
  await prepareHelpers(connection, settings);
  const declarations = new Set<number>();
  let declared: Declared[] = [];
  await executeCreating(connection, mapping.sql, {
    after: async (index) => {
      const now = await rowsOf<Declared>(connection, DECLARED);
      if (now.length > declared.length) declarations.add(index);
      for (const { schema, name } of now.slice(declared.length)) await addPlace(connection, schema, name);
      declared = now;
    },
  }).catch((error: unknown) => failBy(mapping, error));
  if (!declared.some(({ schema }) => schema === 'source'))
    throw new Failure(`mapping ${mapping.name} declares no table in the schema source`);
  const views = await rowsOf<{ name: string; columns: string[] }>(connection, VIEWS);
  return { declared, declarations, views: new Map(views.map(({ name, columns }) => [name, columns])) };
}

async function addPlace(connection: Connection, schema: string, name: string): Promise<void> {
  for (const [column, type] of Object.entries(PLACE))
    await execute(
      connection,
      `alter table ${schema}."${name.replaceAll('"', '""')}" add column ${column} ${type}`,
    );
}

const DECLARED = `
  select
    schema_name as schema,
    table_name as name,
    list({'name': column_name, 'type': data_type, 'isNullable': is_nullable} order by column_index) as columns
  from duckdb_columns()
  semi join duckdb_tables() using (schema_name, table_name)
  where schema_name in ('source', 'extra') and column_name not in (${Object.keys(PLACE).map(literal).join(', ')})
  group by schema_name, table_name, table_oid
  order by table_oid`;

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

/** DuckDB's reason without its class, its advice, and the line of SQL. */
function reasonInOneLine(error: unknown): string {
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
