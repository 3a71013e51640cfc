import { Failure } from '../../lib/failure.ts';
import { execute, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { literal } from '../literals.ts';
import type { Declared } from './mapping.ts';
import { readCsvHeader } from './sources.ts';
import type { SourceFile } from './sources.ts';

/** Larger ones are refused: DuckDB reads a JSON object whole, into buffers of twice this size for each thread. */
const MAX_JSON_OBJECT = 128 << 20;

/**
 * Which declared table each file belongs to: the one with the longest name that the file's name begins with; where there
 * is one `source`, it takes every other file.
 * @throws Failure for a file without a table, or a `source` without a file.
 */
export function assignFiles(
  declared: readonly Declared[],
  files: readonly SourceFile[],
): Map<Declared, SourceFile[]> {
  const sources = declared.filter(({ schema }) => schema === 'source');
  const byLength = declared.toSorted((a, b) => b.name.length - a.name.length);
  const assigned = new Map<Declared, SourceFile[]>(declared.map((table) => [table, []]));
  for (const file of files) {
    const name = file.file.toLowerCase();
    const named = byLength.find((table) => name.startsWith(table.name.toLowerCase()));
    const table = named ?? (sources.length === 1 ? sources[0]! : null);
    if (table === null) {
      const names = declared.map((each) => each.name).join(', ');
      throw new Failure(`${file.path}: the mapping reads files whose names begin with one of ${names}`);
    }
    assigned.get(table)!.push(file);
  }
  const missing = sources.find((table) => assigned.get(table)!.length === 0);
  if (missing !== undefined)
    throw new Failure(`the mapping needs a file whose name begins with ${missing.name}`);
  return assigned;
}

/** Makes a view of its files for each declared table. @throws Failure that names a file and a column it lacks. */
export async function createViews(
  connection: Connection,
  assigned: ReadonlyMap<Declared, readonly SourceFile[]>,
): Promise<void> {
  for (const [{ schema, name, columns }, files] of assigned) {
    const selects = [
      `select ${columns.map((column) => `null::${column.type} as ${quoted(column.name)}`).join(', ')} where false`,
    ];
    const json = files.filter(({ format }) => format === 'json');
    if (json.length > 0) selects.push(selectJson(columns, json));
    for (const file of files) {
      if (file.format === 'csv') selects.push(await selectCsv(columns, file));
      if (file.format === 'parquet') selects.push(await selectParquet(connection, columns, file));
    }
    await execute(connection, `create view ${schema}.${quoted(name)} as ${selects.join('\nunion all\n')}`);
  }
}

type Column = Declared['columns'][number];

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The value, or an error that names the file and the column, where the mapping needs one. */
function checked({ name, isNullable }: Column, value: string, file: string, where = ''): string {
  if (isNullable) return `${value} as ${quoted(name)}`;
  return `coalesce(${value}, error(${file} || ${literal(`: ${name} is missing${where}`)})) as ${quoted(name)}`;
}

function selectJson(columns: readonly Column[], files: readonly SourceFile[]): string {
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ');
  // Lines are small; a file that is not NDJSON may be one object.
  const whole = files.filter(({ file }) => !/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(file));
  const needed = whole.map(({ file, bytes }) => (/\.gz$/i.test(file) ? MAX_JSON_OBJECT : bytes));
  const size = Math.min(MAX_JSON_OBJECT, Math.max(16 << 20, ...needed));
  const paths = files.map(({ path }) => literal(path)).join(', ');
  return `
    select ${columns.map((column) => checked(column, quoted(column.name), 'filename')).join(', ')}
    from read_json([${paths}], columns = {${types}}, maximum_object_size = ${size}, filename = true)`;
}

async function selectCsv(columns: readonly Column[], file: SourceFile): Promise<string> {
  const header = await readCsvHeader(file);
  const values = columns.map((column) => {
    const found = columnNamed(column, header.columns, file);
    if (found === null) return `null::${column.type} as ${quoted(column.name)}`;
    const text = quoted(found);
    const isText = column.type === 'VARCHAR';
    const isNested = /^STRUCT|^MAP|\[\d*\]$/.test(column.type);
    const value = isText ? text : `cast(${text}${isNested ? '::json' : ''} as ${column.type})`;
    return checked(column, value, literal(file.path), ' in a row');
  });
  const types = header.columns.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  return `
    select ${values.join(', ')}
    from read_csv(${literal(file.path)}, auto_detect = false, header = true, columns = {${types}},
      delim = ${literal(header.delimiter)}, quote = '"', escape = '"')
    where coalesce(${header.columns.map(quoted).join(', ')}) is not null -- spreadsheets export empty rows`;
}

async function selectParquet(
  connection: Connection,
  columns: readonly Column[],
  file: SourceFile,
): Promise<string> {
  const source = `read_parquet(${literal(file.path)}, hive_partitioning = false, binary_as_string = true)`;
  const present = await rowsOf<{ column_name: string }>(connection, `describe from ${source}`);
  const names = present.map((row) => row.column_name);
  const values = columns.map((column) => {
    const found = columnNamed(column, names, file);
    const value = found === null ? 'null' : quoted(found);
    return found === null
      ? `null::${column.type} as ${quoted(column.name)}`
      : checked(column, `cast(${value} as ${column.type})`, literal(file.path));
  });
  return `select ${values.join(', ')} from ${source}`;
}

/** As the file writes it; null where it is missing and may be. */
function columnNamed(
  { name, isNullable }: Column,
  present: readonly string[],
  { path }: SourceFile,
): string | null {
  const found = present.find((other) => other.toLowerCase() === name.toLowerCase());
  if (found === undefined && !isNullable)
    throw new Failure(`${path} has no column ${name}; it has ${present.join(', ')}`);
  return found ?? null;
}
