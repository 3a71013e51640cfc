import { join } from 'node:path';
import { Failure } from '../../../lib/failure.ts';
import { columnsOf, execute } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { literal, literalList, quoted } from '../../literals.ts';
import { copyRows, runScript } from '../../relations.ts';
import type { Declared } from '../mapping.ts';
import { csvRows } from './csv.ts';
import { compareHeader, ROW, selectChecked } from './rows.ts';
import type { HeaderProblem, Rows } from './rows.ts';
import type { SourceTable } from './sources.ts';

/** Larger ones are refused: DuckDB reads a JSON object whole, into buffers of twice this size for each thread. */
const MAX_JSON_OBJECT = 128 << 20;

/** What every declared table has in addition to its columns: where a row comes from. */
export const PLACE = { source_file: 'VARCHAR', source_row: 'BIGINT' } as const;

export interface Assigned {
  /** The tables of the export for each declared one. */
  tables: Map<Declared, SourceTable[]>;
  /** Names of sheets that belong to none. */
  ignored: string[];
}

/**
 * Which declared table each file belongs to: the one with the longest name that the file's name begins with; where there
 * is one `source`, it takes every other file. Of a workbook the sheets' names count before the file's; a sheet of
 * several that no table is named after is ignored.
 * @throws Failure for a file without a table, or a `source` without a file.
 */
export function assignTables(declared: readonly Declared[], given: readonly SourceTable[]): Assigned {
  const sources = declared.filter(({ schema }) => schema === 'source');
  const byLength = declared.toSorted((a, b) => b.name.length - a.name.length);
  const namedBy = (name: string) =>
    byLength.find((table) => name.toLowerCase().startsWith(table.name.toLowerCase()));
  const assigned: Assigned = { tables: new Map(declared.map((table) => [table, []])), ignored: [] };
  for (const each of given) {
    const isOneOfSheets = each.sheet !== undefined && each.file.endsWith(` sheet ${each.sheet}`);
    const named = (each.sheet === undefined ? undefined : namedBy(each.sheet)) ?? namedBy(each.file);
    const table = named ?? (sources.length === 1 ? sources[0]! : null);
    if (isOneOfSheets && namedBy(each.sheet!) === undefined) assigned.ignored.push(each.file);
    else if (table === null) throw new Failure(`${each.path}: ${expected(declared)}`);
    else assigned.tables.get(table)!.push(each);
  }
  const missing = sources.find((table) => assigned.tables.get(table)!.length === 0);
  if (missing !== undefined) {
    const sheets = given.flatMap(({ sheet }) => (sheet === undefined ? [] : [sheet]));
    const present = `, or a sheet of that name; the sheets are ${sheets.join(', ')}; ${expected(declared)}`;
    throw new Failure(
      `the mapping needs a file whose name begins with ${missing.name}${sheets.length === 0 ? '' : present}`,
    );
  }
  return assigned;
}

function expected(declared: readonly Declared[]): string {
  const names = declared.map((each) => each.name).join(', ');
  return `the mapping reads files whose names begin with one of ${names}`;
}

/**
 * Reads each table once, into a Parquet file with numbered rows, and makes a view of it for each declared table. (CSV is
 * read eight times otherwise, and its rows have no numbers.) What is wrong in it goes to `problem_found`.
 * @returns the columns that are not read, a line for each table of columns that has some
 * @throws Failure that names a file that cannot be read.
 */
export async function stageTables(
  connection: Connection,
  { tables }: Assigned,
  scratch: string,
): Promise<string[]> {
  const notRead: string[] = [];
  let number = 0;
  for (const [{ schema, name, columns }, given] of tables) {
    const files: string[] = [];
    for (const table of given) {
      const path = join(scratch, `staged-${number++}.parquet`);
      const rows = await rowsIn(connection, columns, table);
      const { problems, unread } = compareHeader(columns, rows.names);
      if (unread.length > 0)
        notRead.push(`${table.file} has columns that are not read: ${unread.join(', ')}`);
      const select = selectChecked(columns, table.file, rows);
      await copyRows(connection, select, path, 'format parquet, compression zstd');
      await reportHeader(connection, table, problems);
      await runScript(connection, import.meta, 'staged', { staged: path });
      files.push(path);
    }
    const own = [...columns, ...Object.entries(PLACE).map(([column, type]) => ({ name: column, type }))];
    const none = own.map((column) => `null::${column.type} as ${quoted(column.name)}`).join(', ');
    const casts = own.map(({ name: column, type }) => `${quoted(column)}::${type} as ${quoted(column)}`);
    const read = `select ${casts.join(', ')} from read_parquet(${literalList(files)}) where left_out is null`;
    const select = files.length === 0 ? `select ${none} where false` : read;
    await execute(connection, `create view ${schema}.${quoted(name)} as ${select}`);
  }
  return notRead;
}

async function reportHeader(
  connection: Connection,
  { file, format }: SourceTable,
  problems: readonly HeaderProblem[],
): Promise<void> {
  for (const { column, value, why } of problems) {
    const cells = [literal(file), format === 'csv' ? '1' : 'null', literal(column)];
    const reason = [value === null ? 'null' : literal(value), literal(why)];
    await execute(
      connection,
      `insert into problem_found values ('to mend', ${[...cells, ...reason].join(', ')})`,
    );
  }
}

async function rowsIn(
  connection: Connection,
  columns: Declared['columns'],
  table: SourceTable,
): Promise<Rows> {
  if (table.format === 'csv') return await csvRows(connection, table);
  return table.format === 'parquet' ? await parquetRows(connection, table) : jsonRows(columns, table);
}

/** Objects have many fields that a mapping does not read. */
function jsonRows(columns: Declared['columns'], table: SourceTable): Rows {
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ');
  // Lines are small; a file that is not NDJSON may be one object.
  const isLines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(table.path);
  const whole = /\.gz$/i.test(table.path) ? MAX_JSON_OBJECT : table.bytes;
  const size = Math.min(MAX_JSON_OBJECT, Math.max(16 << 20, isLines ? 0 : whole));
  return {
    from: `(select *, ${ROW} from read_json(${literal(table.path)}, columns = {${types}}, maximum_object_size = ${size}))`,
    names: columns.map(({ name }) => name),
    cellOf: quoted,
    valueOf: (cell) => cell,
  };
}

async function parquetRows(connection: Connection, table: SourceTable): Promise<Rows> {
  const source = `read_parquet(${literal(table.path)}, hive_partitioning = false, binary_as_string = true)`;
  return {
    from: `(select *, ${ROW} from ${source})`,
    names: [...(await columnsOf(connection, `from ${source}`)).keys()],
    cellOf: quoted,
    valueOf: (cell, type) => `try_cast(${cell} as ${type})`,
  };
}
