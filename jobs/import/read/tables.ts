import { join } from 'node:path';
import { Failure } from '../../../lib/failure.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { literal, literalList, quoted } from '../../literals.ts';
import { copyRows } from '../../relations.ts';
import type { Declared } from '../mapping.ts';
import { columnNamed, ROW, selectChecked, unreadOf } from './checked.ts';
import type { Column, Selected } from './checked.ts';
import { selectCsv } from './csv.ts';
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
    const sheets = assigned.ignored.length === 0 ? '' : `, or a sheet of that name; ${expected(declared)}`;
    throw new Failure(`the mapping needs a file whose name begins with ${missing.name}${sheets}`);
  }
  return assigned;
}

function expected(declared: readonly Declared[]): string {
  const names = declared.map((each) => each.name).join(', ');
  return `the mapping reads files whose names begin with one of ${names}`;
}

/**
 * Reads each table once, into a Parquet file with numbered rows, and makes a view of it for each declared table. CSV is
 * read eight times otherwise, and its rows have no numbers. The view `staged` has the rows with something to report:
 * `source_file`, `source_row`, `left_out` (a row that is none of the table, or null) and `problems` (`reason`, `cell`).
 * @returns the columns that are not read, a line for each table of columns that has some
 * @throws Failure that names a file and a column that it lacks, or that cannot be read.
 */
export async function stageTables(
  connection: Connection,
  { tables }: Assigned,
  scratch: string,
): Promise<string[]> {
  const all: string[] = [];
  const notRead: string[] = [];
  for (const [{ schema, name, columns }, given] of tables) {
    const files: string[] = [];
    for (const table of given) {
      const path = join(scratch, `staged-${all.length}.parquet`);
      const { select, unread } = await selectOf(connection, columns, table);
      if (unread.length > 0)
        notRead.push(`${table.file} has columns that are not read: ${unread.join(', ')}`);
      await copyRows(connection, select, path, 'format parquet, compression zstd');
      files.push(path);
      all.push(path);
    }
    const own = [...columns, ...Object.entries(PLACE).map(([column, type]) => ({ name: column, type }))];
    const none = own.map((column) => `null::${column.type} as ${quoted(column.name)}`).join(', ');
    const casts = own.map(({ name: column, type }) => `${quoted(column)}::${type} as ${quoted(column)}`);
    const read = `select ${casts.join(', ')} from read_parquet(${literalList(files)}) where left_out is null`;
    const select = files.length === 0 ? `select ${none} where false` : read;
    await execute(connection, `create view ${schema}.${quoted(name)} as ${select}`);
  }
  const reports = all.map(
    (path) => `select source_file, source_row, left_out, problems from read_parquet(${literal(path)})`,
  );
  await execute(
    connection,
    `create temp view staged as from (${reports.join(' union all ')}) where left_out is not null or len(problems) > 0`,
  );
  return notRead;
}

async function selectOf(
  connection: Connection,
  columns: Declared['columns'],
  table: SourceTable,
): Promise<Selected> {
  if (table.format === 'csv') return await selectCsv(connection, columns, table);
  if (table.format === 'parquet') return await selectParquet(connection, columns, table);
  // Objects have many fields that a mapping does not read: --check-mapping lists them.
  return { select: selectJson(columns, table), unread: [] };
}

function selectJson(columns: readonly Column[], table: SourceTable): string {
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ');
  // Lines are small; a file that is not NDJSON may be one object.
  const isLines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(table.path);
  const whole = /\.gz$/i.test(table.path) ? MAX_JSON_OBJECT : table.bytes;
  const size = Math.min(MAX_JSON_OBJECT, Math.max(16 << 20, isLines ? 0 : whole));
  const from = `(select *, ${ROW} from read_json(${literal(table.path)}, columns = {${types}}, maximum_object_size = ${size}))`;
  const values = columns.map((column) => ({ column, value: quoted(column.name), cell: quoted(column.name) }));
  return selectChecked(values, table, from);
}

async function selectParquet(
  connection: Connection,
  columns: readonly Column[],
  table: SourceTable,
): Promise<Selected> {
  const source = `read_parquet(${literal(table.path)}, hive_partitioning = false, binary_as_string = true)`;
  const present = await rowsOf<{ column_name: string }>(connection, `describe from ${source}`);
  const names = present.map((row) => row.column_name);
  const values = columns.map((column) => {
    const found = columnNamed(column, names, table);
    const cell = found === null ? `null::${column.type}` : quoted(found);
    return { column, value: found === null ? cell : `try_cast(${cell} as ${column.type})`, cell };
  });
  const select = selectChecked(values, table, `(select *, ${ROW} from ${source})`);
  return { select, unread: unreadOf(columns, names) };
}
