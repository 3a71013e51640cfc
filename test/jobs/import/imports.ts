import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importExport } from '../../../jobs/import/import.ts';
import type { ImportOptions } from '../../../jobs/import/import.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Imports files of these contents into the folder `drop` next to them; `files` are the texts of the drop. */
export async function imported(given: Record<string, string>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(given)) await writeFile(join(folder, name), content);
  const options: ImportOptions = {
    mapping: 'spreadsheet',
    from: Object.keys(given).map((name) => join(folder, name)),
    to: join(folder, 'drop'),
    settings: {},
    engines: {},
    cycles: 'weekly',
    allowSkipped: 5,
    allowMissing: 0,
    clock: { now: () => Date.parse('2026-11-24') },
  };
  const report = await importExport(options);
  return { report, folder: options.to, options, files: await textsIn(options.to) };
}

/** The texts of the files in a folder, by name. */
export async function textsIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const texts = names.toSorted().map(async (name) => [name, await readFile(join(folder, name), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}
