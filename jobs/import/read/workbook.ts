import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { SourceFile } from './sources.ts';
import type { SourceTable } from './tables.ts';

type Cell = string | number | boolean | Date | null;

/** It is read whole: 35 MB with 80,000 answers of 1,000 characters take 0.95 GB and 16 CPU seconds. */
const MAX_BYTES = 40_000_000;

/**
 * Writes each sheet of a workbook as a CSV file, in which rows keep their numbers. Dates become ISO 8601; sheets without a
 * cell are left out.
 * @throws Failure for a file that is no workbook, or too large a one.
 */
export async function sheetsOf(source: SourceFile, scratch: string): Promise<SourceTable[]> {
  if (source.bytes > MAX_BYTES)
    throw new Failure(`${source.path} has more than ${MAX_BYTES / 1e6} MB; save its sheets as CSV in UTF-8`);
  // Here, because no other command reads workbooks: the library takes 50 ms to load.
  const { default: readWorkbook } = await import('read-excel-file/node');
  const sheets = await readWorkbook(source.path).catch((error: unknown) => {
    throw new Failure(`${source.path} cannot be read as a workbook: ${reasonOf(error)}`, { cause: error });
  });
  const filled = sheets.filter(({ data }) => data.length > 0);
  if (filled.length === 0) throw new Failure(`${source.path} has no sheet with a cell`);
  const written = filled.map(async ({ sheet, data }, index) => {
    const path = join(scratch, `${source.sha256}-${index}.csv`);
    await pipeline(Readable.from(csvLines(data as Cell[][])), createWriteStream(path));
    const name = filled.length === 1 ? source.file : `${source.file} sheet ${sheet}`;
    return { path, format: 'csv', bytes: source.bytes, file: name, sheet } as const;
  });
  return await Promise.all(written);
}

function* csvLines(rows: readonly (readonly Cell[])[]): Generator<string> {
  for (const row of rows) yield `${row.map(csvCell).join(',')}\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = cell instanceof Date ? cell.toISOString().replace('T00:00:00.000Z', '') : String(cell);
  return text === '' ? '' : `"${text.replaceAll('"', '""')}"`;
}
