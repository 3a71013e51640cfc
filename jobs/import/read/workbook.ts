import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Sheet } from 'read-excel-file/node';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { SourceFile } from './sources.ts';
import type { SourceTable } from './sources.ts';

type Cell = string | number | boolean | Date | null;

/** It is read whole: 35 MB with 80,000 answers of 1,000 characters take 0.95 GB and 16 CPU seconds. */
const MAX_BYTES = 40_000_000;

/**
 * The tables of the given files. Each sheet of a workbook is written as a CSV file below `scratch`, in which rows keep their
 * numbers. Dates become ISO 8601; sheets without a cell are left out.
 * @throws Failure for a file that is no workbook, or too large a one.
 */
export async function tablesOf(sources: readonly SourceFile[], scratch: string): Promise<SourceTable[]> {
  const tables: SourceTable[] = [];
  for (const source of sources) {
    // One after the other: each is read into memory.
    if (source.format === 'xlsx') tables.push(...(await sheetsOf(source, scratch)));
    else tables.push({ ...source, format: source.format });
  }
  return tables;
}

async function sheetsOf(source: SourceFile, scratch: string): Promise<SourceTable[]> {
  if (source.bytes > MAX_BYTES)
    throw new Failure(`${source.path} has more than ${MAX_BYTES / 1e6} MB; save its sheets as CSV in UTF-8`);
  const sheets = await readSheets(source.path).catch((error: unknown) => {
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

async function readSheets(path: string): Promise<Sheet[]> {
  // Here, because no other command reads workbooks: the library takes 50 ms to load.
  const { default: readWorkbook } = await import('read-excel-file/node');
  const { unzipSync, zipSync } = await import('fflate');
  const parts = Object.entries(unzipSync(await readFile(path))).map(
    ([name, part]) => [name, SHEET.test(name) ? withErrorsAsTexts(part) : part] as const,
  );
  return await readWorkbook(Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 })));
}

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;

/** The library reads a formula that failed as an empty cell; as the text #REF! it is refused. */
function withErrorsAsTexts(xml: Uint8Array): Buffer {
  const text = Buffer.from(xml).toString('latin1');
  return Buffer.from(text.replaceAll(/(<(?:\w+:)?c\s[^>]*?)\bt="e"/g, '$1t="str"'), 'latin1');
}

function* csvLines(rows: readonly (readonly Cell[])[]): Generator<string> {
  for (const row of rows) yield `${row.map(csvCell).join(',')}\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = cell instanceof Date ? isoTime(cell) : String(cell);
  return text === '' ? '' : `"${text.replaceAll('"', '""')}"`;
}

/** To the second: a workbook has fractions of days, in which 08:30 is a millisecond early. */
function isoTime(cell: Date): string {
  const seconds = Math.round(cell.getTime() / 1000);
  return new Date(seconds * 1000).toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}
