import { Failure } from '../../lib/failure.ts';
import type { TableName } from '../../lib/tables/names.ts';
import type { Column } from '../../lib/tables/table.ts';
import { tables as definitions } from '../../lib/tables/tables.ts';
import { streamRows } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { copyRows, runScript } from '../relations.ts';
import { columnsOf } from './columns.ts';
import type { CollectedTables } from './tables.ts';
import { writeWorkbook } from './workbook.ts';
import type { Cell, CellStyle } from './workbook.ts';

export const formats = ['csv', 'parquet', 'xlsx', 'duckdb'] as const;
export type Format = (typeof formats)[number];

export interface WrittenTable {
  table: TableName;
  /** Its name in the folder; the tables of a workbook or of a database share a file. */
  file: string;
  rows: number;
}

export interface Written {
  tables: WrittenTable[];
  /** Tables that do not fit into a sheet, and were left out. */
  leftOut: TableName[];
}

export const WORKBOOK = 'sightline.xlsx';
export const DATABASE = 'sightline.duckdb';

/**
 * Writes all tables into a folder, or ends the database that is there.
 * @throws Failure where a table does not fit into a sheet.
 */
export async function writeTables(
  connection: Connection,
  tables: CollectedTables,
  format: Format,
  folder: string,
  mostRows = MOST_ROWS,
): Promise<Written> {
  await runScript(connection, import.meta, 'cells');
  const shared = { xlsx: WORKBOOK, duckdb: DATABASE, csv: null, parquet: null }[format];
  const all: WrittenTable[] = [];
  for (const table of tables.names)
    all.push({ table, file: shared ?? `${table}.${format}`, rows: await tables.rowsIn(table) });
  const { written, leftOut } = format === 'xlsx' ? fitting(all, mostRows) : { written: all, leftOut: [] };
  if (format === 'xlsx') await writeSheets(connection, tables, written, `${folder}/${WORKBOOK}`);
  else if (format !== 'duckdb')
    for (const { table, file: name } of written) {
      const path = `${folder}/${name}`;
      if (format === 'csv') await copyCsv(connection, tables, table, path);
      else await copyRows(connection, `from ${tables.relationOf(table)}`, path, PARQUET);
    }
  await tables.close();
  return { tables: written, leftOut };
}

/** Texts are quoted and guarded, and nothing else is; a NULL is empty without quotes. */
async function copyCsv(
  connection: Connection,
  tables: CollectedTables,
  table: TableName,
  path: string,
): Promise<void> {
  const columns = columnsOf(definitions[table]);
  const cells = columns.map(({ name, type }) => {
    if (type === 'text') return `guarded("${name}") as "${name}"`;
    return type === 'timestamp' ? `instant_text("${name}") as "${name}"` : `"${name}"`;
  });
  const texts = columns.filter(({ type }) => type === 'text').map(({ name }) => `"${name}"`);
  const query = `select ${cells.join(', ')} from ${tables.relationOf(table)}`;
  await copyRows(connection, query, path, `format csv, header, force_quote (${texts.join(', ')})`);
}

const PARQUET = 'format parquet, compression zstd';

/** As many rows as a sheet can have, without the head. */
const MOST_ROWS = 1_048_575;

/** The table that nobody reads in a workbook, and by far the largest. */
const MAY_BE_LEFT_OUT = 'stability_names';

/** @throws Failure where another table does not fit into a sheet. */
function fitting(
  all: readonly WrittenTable[],
  mostRows: number,
): { written: WrittenTable[]; leftOut: TableName[] } {
  const large = all.filter(({ rows }) => rows > mostRows);
  const needed = large.find(({ table }) => table !== MAY_BE_LEFT_OUT);
  if (needed !== undefined)
    throw new Failure(
      `the table ${needed.table} has ${needed.rows} rows, more than the ${mostRows} of a sheet; ` +
        `export fewer weeks, only other tables (--tables), or --format csv or parquet`,
    );
  return { written: all.filter((each) => !large.includes(each)), leftOut: large.map(({ table }) => table) };
}

async function writeSheets(
  connection: Connection,
  tables: CollectedTables,
  written: readonly WrittenTable[],
  path: string,
): Promise<void> {
  const sheets = written.map(({ table }) => {
    const columns = idsLast(columnsOf(definitions[table]));
    const cells = columns.map(({ name, type }) => {
      if (type === 'date') return `date_number("${name}") as "${name}"`;
      return type === 'timestamp' ? `instant_number("${name}") as "${name}"` : `"${name}"`;
    });
    const query = `select ${cells.join(', ')} from ${tables.relationOf(table)}`;
    return {
      name: table,
      columns: columns.map(({ name, type }) => ({ name, style: styleOf(type) })),
      rows: () => streamRows<Record<string, Cell>>(connection, query),
    };
  });
  await writeWorkbook(path, sheets);
}

/** A person reads the other columns. */
function idsLast<Each extends { name: string }>(columns: readonly Each[]): Each[] {
  const isId = ({ name }: Each) => /_(?:id|sha256)$/.test(name);
  return [...columns.filter((column) => !isId(column)), ...columns.filter(isId)];
}

function styleOf(type: Column['type']): CellStyle {
  if (type === 'date') return 'date';
  if (type === 'timestamp') return 'instant';
  return type === 'text' ? 'text' : 'plain';
}
