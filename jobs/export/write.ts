import { Failure } from '../../lib/failure.ts';
import { streamRows } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { copyRows, runScript } from '../relations.ts';
import { tableNames } from './tables.ts';
import type { CollectedTables, TableName } from './tables.ts';
import { writeWorkbook } from './workbook.ts';
import type { Cell, CellStyle } from './workbook.ts';

export const formats = ['csv', 'parquet', 'xlsx'] as const;
export type Format = (typeof formats)[number];

export interface WrittenTable {
  table: TableName;
  /** Its name in the folder; sheets of one workbook share a file. */
  file: string;
  rows: number;
}

export const WORKBOOK = 'sightline.xlsx';

/** Writes all tables into a folder. @throws Failure where a table does not fit into a sheet. */
export async function writeTables(
  connection: Connection,
  tables: CollectedTables,
  format: Format,
  folder: string,
): Promise<WrittenTable[]> {
  await runScript(connection, import.meta, 'cells');
  const written: WrittenTable[] = [];
  for (const table of tableNames) {
    const file = format === 'xlsx' ? WORKBOOK : `${table}.${format}`;
    written.push({ table, file, rows: await tables.rowsIn(table) });
  }
  if (format === 'xlsx') await writeSheets(connection, tables, written, `${folder}/${WORKBOOK}`);
  else
    for (const { table, file } of written) {
      const path = `${folder}/${file}`;
      if (format === 'csv') await copyCsv(connection, tables, table, path);
      else await copyRows(connection, `from ${tables.relationOf(table)}`, path, PARQUET);
    }
  return written;
}

/** Texts are quoted and guarded, and nothing else is; a NULL is empty without quotes. */
async function copyCsv(
  connection: Connection,
  tables: CollectedTables,
  table: TableName,
  path: string,
): Promise<void> {
  const columns = await tables.columnsOf(table);
  const cells = columns.map(({ name, type }) => {
    if (type === 'VARCHAR') return `guarded("${name}") as "${name}"`;
    return type === INSTANT ? `instant_text("${name}") as "${name}"` : `"${name}"`;
  });
  const texts = columns.filter(({ type }) => type === 'VARCHAR').map(({ name }) => `"${name}"`);
  const query = `select ${cells.join(', ')} from ${tables.relationOf(table)}`;
  await copyRows(connection, query, path, `format csv, header, force_quote (${texts.join(', ')})`);
}

const PARQUET = 'format parquet, compression zstd';

const INSTANT = 'TIMESTAMP WITH TIME ZONE';

/** As many rows as a sheet can have, without the head. */
const MOST_ROWS = 1_048_575;

async function writeSheets(
  connection: Connection,
  tables: CollectedTables,
  written: readonly WrittenTable[],
  path: string,
): Promise<void> {
  const large = written.find(({ rows }) => rows > MOST_ROWS);
  if (large !== undefined)
    throw new Failure(
      `the table ${large.table} has ${large.rows} rows, more than the ${MOST_ROWS} of a sheet; ` +
        `export fewer weeks, or --format csv or parquet`,
    );
  const sheets = [];
  for (const { table } of written) {
    const columns = idsLast(await tables.columnsOf(table));
    const cells = columns.map(({ name, type }) => {
      if (type === 'DATE') return `date_number("${name}") as "${name}"`;
      return type === INSTANT ? `instant_number("${name}") as "${name}"` : `"${name}"`;
    });
    const query = `select ${cells.join(', ')} from ${tables.relationOf(table)}`;
    sheets.push({
      name: table,
      columns: columns.map(({ name, type }) => ({ name, style: styleOf(type) })),
      rows: () => streamRows<Record<string, Cell>>(connection, query),
    });
  }
  await writeWorkbook(path, sheets);
}

/** A person reads the other columns. */
function idsLast<Column extends { name: string }>(columns: readonly Column[]): Column[] {
  const isId = ({ name }: Column) => /_(?:id|sha256)$/.test(name);
  return [...columns.filter((column) => !isId(column)), ...columns.filter(isId)];
}

function styleOf(type: string): CellStyle {
  if (type === 'DATE') return 'date';
  if (type === INSTANT) return 'instant';
  return type === 'VARCHAR' ? 'text' : 'plain';
}
