import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../lib/failure.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { tableNames } from '../../lib/tables/names.ts';
import type { TableName } from '../../lib/tables/names.ts';
import { VERSION } from '../../lib/version.ts';
import { oneAWeek, readEntry, readPublications, weekOf } from '../../snapshots/reading/select.ts';
import type { LoggedStore } from '../../snapshots/reading/select.ts';
import { asOf, hasDocuments } from '../../snapshots/log/history.ts';
import type { History, Publication } from '../../snapshots/log/history.ts';
import { openDatabase } from '../duckdb.ts';
import { makeWholeFolder, namesIn, orFailure } from '../whole-folder.ts';
import { dataPackageOf } from './datapackage.ts';
import { readBatches } from './documents.ts';
import { collectTables, documentsFor } from './tables.ts';
import { DATABASE, writeTables } from './write.ts';
import type { Format, Written, WrittenTable } from './write.ts';

export interface ExportOptions {
  workspaceId: string;
  /** The newest weeks, of each the last snapshot. */
  weeks: number | 'all';
  /** Only these brands; all if absent. */
  brandIds?: readonly string[] | undefined;
  /** Only these tables; all if absent. */
  tables?: readonly TableName[] | undefined;
  format: Format;
  /** Of a sheet; for tests (default: as many as a sheet can have). */
  mostRows?: number | undefined;
  /** The folder; it must not exist, be empty, or hold an earlier export and nothing else. */
  to: string;
  /** Called once with the number of documents, then with the number of those that were read. */
  onStart?: (documents: number) => void;
  onDocuments?: (documents: number) => void;
}

/** What an export consists of; `datapackage.json` in the folder says it too. */
export interface ExportReport {
  version: string;
  workspaceId: string;
  workspaceName: string | null;
  /** Oldest first. */
  snapshots: (Pick<Publication, 'snapshotId' | 'manifestSha256' | 'sequence'> & { asOf: string })[];
  /** Snapshots of the weeks asked for whose documents were removed on purpose. */
  pruned: string[];
  /** Lost snapshots of weeks between those, which have no other. */
  lost: string[];
  /** Tables that do not fit into a sheet, and were left out. */
  leftOut: TableName[];
  tables: WrittenTable[];
  files: { file: string; bytes: number; sha256: string }[];
}

export const REPORT_FILE = 'datapackage.json';

/** DuckDB spills what does not fit. Together with Node and the batches of documents it stays below 1 GiB. */
const MEMORY_BYTES = 512 << 20;

/**
 * Writes published documents as tables. Everything is compared with the log when it is read; the folder
 * appears whole or, after a {@link Failure}, not at all.
 * @throws Failure where nothing was published, or at the first object that is missing or damaged.
 */
export async function exportTables(logged: LoggedStore, options: ExportOptions): Promise<ExportReport> {
  const { workspaceId, to } = options;
  const { store } = logged;
  await refuseUnlessReplaceable(to, await namesIn(resolve(to)));
  const history = await readPublications(logged, workspaceId);
  const chosen = chooseWeeks(history, options);
  const newest = chosen.snapshots.at(-1);
  if (newest === undefined) throw new Failure(`workspace ${workspaceId} has no current snapshot`);
  const { workspaceName } = (await readEntry(store, workspaceId, newest)).manifest;
  await using scratch = await makeScratch('export');
  const work = async (folder: string) => {
    const written = await writeDocuments(store, chosen.snapshots, folder, scratch.path, options);
    const report: ExportReport = {
      version: VERSION,
      workspaceId,
      workspaceName,
      ...chosen,
      snapshots: chosen.snapshots.map((each) => {
        const { snapshotId, manifestSha256, sequence } = each;
        return { snapshotId, manifestSha256, sequence, asOf: asOf(each) };
      }),
      ...written,
      files: await describeFiles(folder, new Set(written.tables.map(({ file }) => file))),
    };
    await writeFile(
      join(folder, REPORT_FILE),
      `${JSON.stringify(dataPackageOf(report, options.format), null, 2)}\n`,
    );
    return report;
  };
  const judge = async (_: string, present: readonly string[]) => {
    await refuseUnlessReplaceable(to, present);
    return 'replace' as const;
  };
  const { result } = await makeWholeFolder({ to, purpose: 'export', work, judge });
  return result;
}

interface Chosen {
  /** Oldest first. */
  snapshots: Publication[];
  pruned: string[];
  lost: string[];
}

function chooseWeeks(history: History, { weeks }: ExportOptions): Chosen {
  const wanted = oneAWeek(history)
    .slice(0, weeks === 'all' ? undefined : weeks)
    .toReversed();
  return {
    snapshots: wanted.filter(hasDocuments),
    pruned: idsOf(wanted.filter((each) => !hasDocuments(each))),
    lost: idsOf(lostSince(history, weeks === 'all' ? undefined : wanted[0])),
  };
}

/** The lost snapshots of weeks that have no other, from the week of a snapshot on. */
function lostSince(history: History, oldest: Publication | undefined): Publication[] {
  const kept = new Set(oneAWeek(history).map((each) => weekOf(asOf(each))));
  return history.publications.filter((each) => {
    const week = weekOf(asOf(each));
    if (each.withdrawn?.reason !== 'lost' || kept.has(week)) return false;
    return oldest === undefined || week > weekOf(asOf(oldest));
  });
}

function idsOf(publications: readonly Publication[]): string[] {
  return publications.map(({ snapshotId }) => snapshotId);
}

async function writeDocuments(
  store: ObjectStore,
  snapshots: readonly Publication[],
  folder: string,
  scratch: string,
  { workspaceId, brandIds, tables: wanted, format, mostRows, to, onStart, onDocuments }: ExportOptions,
): Promise<Written> {
  const names = tableNames.filter((name) => wanted?.includes(name) ?? true);
  const kinds = documentsFor(names);
  onStart?.(snapshots.reduce((sum, { brands }) => sum + brands * kinds.size, 0));
  const target = resolve(to);
  using database = await openDatabase({ scratch, memoryBytes: MEMORY_BYTES });
  const connection = await database.connect();
  const file = join(format === 'duckdb' ? folder : scratch, DATABASE);
  const tables = await orFailure(target, collectTables(connection, file, names));
  for await (const batch of readBatches(store, workspaceId, snapshots, kinds, brandIds)) {
    await orFailure(target, tables.add(batch));
    onDocuments?.(batch.reduce((sum, { documents }) => sum + Object.keys(documents).length, 0));
  }
  return await orFailure(target, writeTables(connection, tables, format, folder, mostRows));
}

async function describeFiles(folder: string, names: Iterable<string>): Promise<ExportReport['files']> {
  const files = [];
  for (const file of names) {
    const path = join(folder, file);
    files.push({ file, bytes: (await stat(path)).size, sha256: await sha256OfFile(path) });
  }
  return files;
}

const earlierPackage = z.object({ resources: z.array(z.object({ path: z.string(), hash: z.string() })) });

/** @throws Failure where the folder holds anything but an earlier export, unchanged. */
async function refuseUnlessReplaceable(to: string, present: readonly string[]): Promise<void> {
  if (present.length === 0) return;
  const folder = resolve(to);
  const files = await readFile(join(folder, REPORT_FILE), 'utf8').then(
    (text) => earlierPackage.parse(JSON.parse(text)).resources,
    () => null,
  );
  if (files === null)
    throw new Failure(`${folder} is not empty, and contains no earlier export; choose another folder`);
  const known = new Set([REPORT_FILE, ...files.map(({ path }) => path)]);
  const other = present.find((name) => !known.has(name));
  if (other !== undefined)
    throw new Failure(
      `${folder} contains ${other}, which is not part of the earlier export; choose another folder`,
    );
  for (const [path, hash] of new Map(files.map((each) => [each.path, each.hash]))) {
    if (present.includes(path) && `sha256:${await sha256OfFile(join(folder, path))}` !== hash)
      throw new Failure(`${join(folder, path)} was changed since it was exported; choose another folder`);
  }
}
