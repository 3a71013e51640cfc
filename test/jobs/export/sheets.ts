import { join } from 'node:path';
import readExcelFile from 'read-excel-file/node';
import { WORKBOOK } from '../../../jobs/export/write.ts';
import type { TableName } from '../../../lib/tables/names.ts';
import type { Row, Value } from '../../reference/tables.ts';

export type Tables = Record<TableName, Row[]>;

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
  return asDocument(name, new Date(Math.round(value.getTime() / 10) * 10));
}

/** A date or an instant as the documents write it. */
export function asDocument(column: string, value: Date): string {
  const instant = value.toISOString();
  return column.endsWith('date') || column === 'last_answered' ? instant.slice(0, 10) : instant;
}
