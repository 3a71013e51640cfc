import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import readExcelFile from 'read-excel-file/node';
import { WORKBOOK } from '../../../jobs/export/write.ts';
import type { Row, Value } from '../../reference/tables.ts';
import type { Tables } from './tables.ts';

/** What the sheets of a workbook say, with dates and instants as the documents write them; an empty text is null. */
export async function sheetTables(folder: string): Promise<Tables> {
  const sheets = await readExcelFile(join(folder, WORKBOOK), { trim: false });
  const tables = sheets.map(({ sheet, data }) => {
    const [head, ...rows] = data;
    const columns = head!.map(String);
    return [sheet, rows.map((row) => rowOf(columns, row))] as const;
  });
  return Object.fromEntries(tables) as Tables;
}

function rowOf(columns: readonly string[], cells: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, valueOf(name, cells[index] ?? null)]));
}

function valueOf(name: string, value: unknown): Value {
  if (!(value instanceof Date)) return value as Value;
  // The reader cuts fractions of a millisecond off, also the tiny ones that a number of days has.
  const instant = new Date(Math.round(value.getTime() / 10) * 10).toISOString();
  return name.endsWith('date') || name === 'last_answered' ? instant.slice(0, 10) : instant;
}

/** The text of a file in a workbook, without a check of the archive. */
export async function partOf(folder: string, path: string): Promise<string> {
  const bytes = await readFile(join(folder, WORKBOOK));
  // A local file header has 30 bytes, the path, and extra fields; the size of these is in its last two bytes.
  const start = bytes.indexOf(Buffer.from(path)) - 30;
  const data = start + 30 + path.length + bytes.readUInt16LE(start + 28);
  return inflateRawSync(bytes.subarray(data)).toString();
}
