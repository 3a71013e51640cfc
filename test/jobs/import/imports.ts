import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importExport } from '../../../jobs/import/import.ts';
import type { ImportOptions, ImportReport } from '../../../jobs/import/import.ts';
import { Failure } from '../../../lib/failure.ts';
import { temporaryFolder } from '../../support/folder.ts';

export interface Imported {
  report: ImportReport;
  /** The drop's folder. */
  folder: string;
  /** The texts of its files, by name. */
  files: Record<string, string>;
}

/** Long after the answers of all exports. */
export const clock = { now: () => Date.parse('2027-01-01') };

export type Given = Partial<ImportOptions> & Pick<ImportOptions, 'mapping' | 'from'>;

/** Imports into a folder of the test's own. */
export async function imported(given: Given): Promise<Imported> {
  const folder = given.to ?? join(await temporaryFolder(), 'drop');
  const report = await importExport({
    settings: {},
    engines: {},
    cycles: 'weekly',
    allowSkipped: 5,
    allowMissing: 0,
    clock,
    to: folder,
    ...given,
  });
  return { report, folder, files: await textsIn(folder) };
}

export async function textsIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  ) as Record<string, string>;
}

/** Imports files made of texts, or of objects as JSON, in a folder; a failure's lines in place of a drop. */
export async function tried(mapping: string, files: Record<string, unknown>, more: Partial<Given> = {}) {
  const folder = await temporaryFolder();
  const from = Object.keys(files).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(files)) {
    const isWritten = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(join(folder, name), isWritten ? content : JSON.stringify(content));
  }
  return await imported({ mapping, from, ...more }).then(
    (drop) => ({ drop, folder, failure: [] as string[] }),
    (error: unknown) => {
      if (error instanceof Failure) return { drop: null, folder, failure: [error.message, ...error.details] };
      throw error;
    },
  );
}
