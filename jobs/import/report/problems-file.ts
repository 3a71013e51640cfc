import { copyFile, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../lib/failure.ts';
import type { Connection } from '../../duckdb.ts';
import { copyRows } from '../../relations.ts';
import { orFailure } from '../../whole-folder.ts';

const HEADER = 'file,row,column,value,why';

/**
 * Makes sure that a file of problems can be written, before the work.
 * @throws Failure if it cannot be, or if there is another file of that name, such as one of the export.
 */
export async function preparePlace(path: string): Promise<void> {
  await using file = await orFailure(path, open(path, 'a+'));
  const { bytesRead, buffer } = await orFailure(
    path,
    file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0),
  );
  if (bytesRead === 0 || buffer.toString() === HEADER) return;
  throw new Failure(`${path} is another file; choose a new one for the problems`);
}

/** Writes everything that was found and has a place, the most urgent first. */
export async function writeProblems(connection: Connection, path: string, scratch: string): Promise<void> {
  const written = join(scratch, 'problems.csv');
  const rows = `
    select file, "row", "column", "value", why from problem_found
    order by kind, file, "row", "column", "value", why`;
  await copyRows(connection, rows, written, 'format csv, header');
  await orFailure(path, copyFile(written, path));
}
