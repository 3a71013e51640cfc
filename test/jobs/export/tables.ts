import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tableNames } from '../../../lib/tables/names.ts';
import { execute, openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { TableName } from '../../../lib/tables/names.ts';
import type { Row, Value } from '../../reference/tables.ts';

export type Tables = Record<TableName, Row[]>;

/** A cell of a CSV file: its text, and whether it was quoted. */
interface Cell {
  text: string;
  isQuoted: boolean;
}

/** RFC 4180, with line feeds between records. */
function parseCsv(text: string): Cell[][] {
  const records: Cell[][] = [];
  let record: Cell[] = [];
  for (const [whole, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    if (whole === '') break;
    const isQuoted = quoted !== undefined;
    record.push({ text: isQuoted ? quoted.replaceAll('""', '"') : plain!, isQuoted });
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

/** What spreadsheets run, or may run, as a formula. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** What a CSV file says, by its own rules: quoted is text, and an apostrophe in front of it is not part of it. */
function valueOf({ text, isQuoted }: Cell): Value {
  if (isQuoted) {
    if (formula.test(text)) throw new Error(`a spreadsheet would run ${JSON.stringify(text)}`);
    return text.startsWith("'") ? text.slice(1) : text;
  }
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?[\d.]+(e[+-]?\d+)?$/.test(text) ? Number(text) : text;
}

export function rowsOfCsv(text: string): Row[] {
  const [head, ...records] = parseCsv(text);
  return records.map((record) =>
    Object.fromEntries(record.map((cell, index) => [head![index]!.text, valueOf(cell)])),
  );
}

export async function csvTables(folder: string): Promise<Tables> {
  const tables = tableNames.map(
    async (table) => [table, rowsOfCsv(await readFile(join(folder, `${table}.csv`), 'utf8'))] as const,
  );
  return Object.fromEntries(await Promise.all(tables)) as Tables;
}

/** What DuckDB reads from Parquet files. */
export async function parquetTables(folder: string): Promise<Tables> {
  return await tablesFrom((table) => `read_parquet('${join(folder, `${table}.parquet`)}')`);
}

/** What DuckDB reads from a file of its own. */
export async function duckdbTables(folder: string): Promise<Tables> {
  const attach = `attach '${join(folder, 'sightline.duckdb')}' as exported (read_only)`;
  return await tablesFrom((table) => `exported.${table}`, attach);
}

/** With dates and instants as the documents write them. */
async function tablesFrom(relationOf: (table: string) => string, prepare = 'select 1'): Promise<Tables> {
  const database = await openDatabase({ scratch: await temporaryFolder() });
  try {
    const connection = await database.connect();
    await execute(connection, prepare);
    const tables: Partial<Tables> = {};
    for (const table of tableNames) {
      const rows = await rowsOf<Record<string, unknown>>(connection, `from ${relationOf(table)}`);
      tables[table] = rows.map((row) =>
        Object.fromEntries<Value>(
          Object.entries(row).map(([name, value]) => [name, asDocument(name, value)]),
        ),
      );
    }
    return tables as Tables;
  } finally {
    database.close();
  }
}

function asDocument(name: string, value: unknown): Value {
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof Date)) return value as Value;
  return name.endsWith('date') || name === 'last_answered'
    ? value.toISOString().slice(0, 10)
    : value.toISOString();
}
