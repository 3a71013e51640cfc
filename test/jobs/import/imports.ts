import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importExport } from '../../../jobs/import/import.ts';
import type { ImportOptions, ImportReport } from '../../../jobs/import/import.ts';
import type { Finding } from '../../../jobs/import/report/findings.ts';
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

/** The records of one file of a drop. */
export function recordsOf<Row = Record<string, unknown>>({ files }: Imported, file: string): Row[] {
  return (files[file] ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
}

/** Imports files made of texts, or of objects as JSON; a failure's lines in place of a drop. */
export async function tried(mapping: string, files: Record<string, unknown>, more: Partial<Given> = {}) {
  const folder = await temporaryFolder();
  const from = Object.keys(files).map((name) => join(folder, name));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return await imported({ mapping, from, ...more }).then(
    (drop) => ({ drop, failure: [] as string[] }),
    (error: unknown) => {
      if (error instanceof Failure) return { drop: null, failure: [error.message, ...error.details] };
      throw error;
    },
  );
}

export interface Run {
  status: string;
  mentions: { name: string; subject: string }[];
  citations: { url: string }[];
}
/** The runs of a drop. */
export const runsOf = (drop: Awaited<ReturnType<typeof tried>>['drop']) =>
  recordsOf<Run>(drop!, 'runs.ndjson');

/** The findings of a report that are of a kind. */
export const findingsOf = (drop: Awaited<ReturnType<typeof tried>>['drop'], kind: Finding['kind']) =>
  drop!.report.findings.filter((finding) => finding.kind === kind);
