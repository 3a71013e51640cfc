import type { BrandInSnapshot } from '../../../lib/tables/table.ts';
import type { Cell, TableName } from '../../../lib/tables/names.ts';
import { tables } from '../../../lib/tables/tables.ts';
import type { Sheet } from './parts.ts';
import type { BrandWeek } from './week.ts';

/** The rows of a brand in a table of the API, from the documents on screen. */
export function sheetOf(name: TableName, { brand, visibility, ...documents }: BrandWeek): Sheet {
  const table = tables[name];
  const given = {
    brand,
    documents: Object.fromEntries(
      Object.entries({ visibility, ...documents }).filter(([, document]) => document !== null),
    ),
  } as unknown as BrandInSnapshot;
  return {
    kind: 'sheet',
    name,
    columns: table.columns.map((column) => column.name),
    rows: table.rowsOf(given),
  };
}

/** RFC 4180. */
export function csvOf({ columns, rows }: Sheet, separator = ','): string {
  return [columns, ...rows].map((row) => `${row.map(textOf).join(separator)}\r\n`).join('');
}

/** A text that a sheet would take for a formula begins with an apostrophe: names come from answers. */
function textOf(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
