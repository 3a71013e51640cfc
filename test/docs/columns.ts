import { columnsOf } from '../../jobs/export/columns.ts';
import type { Column } from '../../lib/tables/table.ts';
import { tables } from '../../lib/tables/tables.ts';

const HEADER = 'table,column,type,null,meaning';

/** The first columns of every table of an export, which the file lists once. */
const SHARED = 7;

/** Every column of every table, as CSV, for people: `npm run docs` writes docs/columns.csv. */
export function columnsFile(): string {
  const shared = columnsOf(tables.brands).slice(0, SHARED);
  const lines = Object.values(tables).flatMap((table) =>
    columnsOf(table)
      .slice(SHARED)
      .map((column) => lineOf(table.name, column)),
  );
  return [HEADER, ...shared.map((column) => lineOf('every', column)), ...lines, ''].join('\n');
}

function lineOf(table: string, { name, type, missing, meaning }: Column): string {
  return [table, name, type, missing ?? '', meaning].map(cellOf).join(',');
}

const cellOf = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
