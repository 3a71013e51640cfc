import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { VERSION } from '../../lib/version.ts';
import { openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { PROVENANCE_FILE } from '../lake/provenance.ts';
import type { Provenance } from '../lake/provenance.ts';
import {
  failBy,
  makeViews,
  prepareHelpers,
  readDeclared,
  readMapping,
  reasonInOneLine,
  settingsOf,
} from './mapping.ts';
import type { Mapping, MappingSettings, Views } from './mapping.ts';
import { collectProblems, collectRuns, collectTracking, writeRecords } from './records/records.ts';
import { failureToMend, findingsOf, refuseUnlessAllowed } from './report/findings.ts';
import type { Finding } from './report/findings.ts';
import { preparePlace, writeProblems } from './report/problems-file.ts';
import { brandsOf } from './report/report.ts';
import type { BrandCounts } from './report/report.ts';
import { listSources } from './read/sources.ts';
import type { SourceFile, SourceTable } from './read/sources.ts';
import { assignTables, stageTables } from './read/tables.ts';
import { countRows, runScript, selectRows } from '../relations.ts';
import { makeWholeFolder } from '../whole-folder.ts';
import { tablesOf } from './read/workbook.ts';

export interface ImportOptions extends MappingSettings {
  /** The name of a mapping that ships, or the path of an SQL file. */
  mapping: string;
  /** Files and folders of an export. */
  from: readonly string[];
  /** The drop's folder; it must not exist, be empty, or hold the same drop. */
  to: string;
  cycles: 'weekly' | 'daily';
  /** The largest share of answers that may be skipped, in percent; those skipped on purpose do not count. */
  allowSkipped: number;
  /** The largest share of answers that may be missing from the export, in percent. */
  allowMissing: number;
  /** A CSV file to write with all problems; also if the import fails. */
  problems?: string | undefined;
  /** Answers from after tomorrow are refused. */
  clock: Clock;
}

export interface ImportReport extends Provenance {
  /** With the places. */
  findings: Finding[];
  /** Of the drop. */
  files: { file: string; records: number }[];
  /** What the source does not contain, by the mapping, and what of it was not read. */
  notes: string[];
  /** What the drop shows of each brand. */
  brands: BrandCounts[];
  /** The newest cycle of the drop: the tracking date to ingest it with; null without runs. */
  newestCycle: string | null;
  /** The same drop was in the folder before. */
  isKnown: boolean;
}

/** Together with Node and the buffers of the readers it stays below 2 GiB. */
const MEMORY_BYTES = 1 << 30;

/**
 * Makes a drop from another tool's export: the same bytes for the same files, whatever their order. The folder appears
 * whole or, after a {@link Failure}, not at all.
 */
export async function importExport(options: ImportOptions): Promise<ImportReport> {
  const mapping = await readMapping(options.mapping);
  refuseUnknownSettings(mapping, options);
  const sources = await listSources(options.from);
  if (options.problems !== undefined) await preparePlace(options.problems);
  await using scratch = await makeScratch('import');
  const { result, isKept } = await makeWholeFolder({
    to: options.to,
    purpose: 'import',
    work: async (folder) => await runMapping({ mapping, sources, scratch: scratch.path, folder }, options),
    judge: async (folder, present) => {
      if (await isSame(folder, options.to, present)) return 'keep';
      throw new Failure(`${resolve(options.to)} is not empty; choose another folder`);
    },
  });
  return { ...result, isKnown: isKept };
}

function refuseUnknownSettings(mapping: Mapping, { settings }: MappingSettings): void {
  const known = settingsOf(mapping);
  const unknown = Object.keys(settings).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new Failure(`mapping ${mapping.name} has no setting ${unknown}; it has ${known.join(', ')}`);
}

interface Run {
  mapping: Mapping;
  sources: readonly SourceFile[];
  scratch: string;
  /** Where the drop is written. */
  folder: string;
}

async function runMapping(run: Run, options: ImportOptions): Promise<Omit<ImportReport, 'isKnown'>> {
  const { mapping, sources, scratch, folder } = run;
  const tables = await tablesOf(sources, scratch);
  const access = { files: tables.map(({ path }) => path), folders: [folder, scratch] };
  using database = await openDatabase({ scratch, memoryBytes: MEMORY_BYTES, access });
  const connection = await database.connect();
  await runScript(connection, import.meta, 'report/tables');
  try {
    return await makeDrop(connection, tables, run, options);
  } catch (error) {
    return failBy(mapping, error);
  } finally {
    if (options.problems !== undefined) await writeProblems(connection, options.problems, scratch);
  }
}

async function makeDrop(
  connection: Connection,
  tables: readonly SourceTable[],
  { mapping, sources, scratch, folder }: Run,
  options: ImportOptions,
): Promise<Omit<ImportReport, 'isKnown'>> {
  await prepareHelpers(connection, options);
  const declared = await readDeclared(connection, mapping);
  const assigned = assignTables(declared.tables, tables);
  const notRead = await stageTables(connection, assigned, scratch);
  const views = await viewsOf(connection, mapping, declared.statements);
  await collectTracking(connection, mapping, views);
  await collectRuns(connection, mapping, views, options.cycles);
  const [counted] = await selectRows<Counts>(connection, import.meta, 'report/counts');
  const { newestCycle, ...counts } = counted!;
  const findings = await findingsOf(connection);
  refuseUnlessAllowed(findings, { ...counts, ...options });
  const files = await writeRecords(connection, folder);
  if (files.length === 0 || (views.has('runs') && counts.read === 0))
    throw new Failure(`mapping ${mapping.name} found nothing in these files`);
  const ignored = assigned.ignored.map((sheet) => `${sheet} was not read: no table has its name`);
  const notes = [...ignored, ...notRead, ...(await notesOf(connection, views))];
  const without = findings.map(({ kind, reason, records }) => ({ kind, reason, records }));
  const record: Provenance = { ...originOf(mapping, sources, options), ...counts, findings: without };
  await writeFile(join(folder, PROVENANCE_FILE), `${JSON.stringify(record, null, 2)}\n`);
  const brands = await brandsOf(connection);
  return { ...record, findings, files, notes, brands, newestCycle };
}

type Counts = Pick<ImportReport, 'read' | 'skipped' | 'kept' | 'newestCycle'>;

/**
 * The mapping's views. If cells have to be mended, what the mapping finds is refused in the same round.
 * @throws Failure for cells to mend
 */
async function viewsOf(connection: Connection, mapping: Mapping, from: number): Promise<Views> {
  const make = async () => {
    const views = await makeViews(connection, mapping, from);
    await collectProblems(connection, mapping, views);
    return views;
  };
  if ((await countRows(connection, "problem_found where kind = 'to mend'")) === 0) return await make();
  // An error may be a consequence of a cell to mend, or one more thing to mend.
  const also = await make().then(
    () => [],
    (error: unknown) => [`mapping ${mapping.name}: ${reasonInOneLine(error)}`],
  );
  if (also.length === 0) await runScript(connection, import.meta, 'report/early-problems');
  throw failureToMend(await findingsOf(connection), also);
}

/** The ledger keeps them for ever: those that may name a customer, such as `brand` and `workspace`, are not recorded. */
const RECORDED_SETTINGS = new Set(['country', 'created_at', 'dates', 'persona', 'region']);

function originOf(
  mapping: Mapping,
  sources: readonly SourceFile[],
  { settings, engines, cycles }: ImportOptions,
) {
  return {
    format: 1,
    version: VERSION,
    mapping: { name: mapping.name, sha256: mapping.sha256 },
    settings: sorted(
      Object.fromEntries(Object.entries(settings).filter(([key]) => RECORDED_SETTINGS.has(key))),
    ),
    engines: sorted(engines),
    cycles,
    sources: sources.map(({ file, sha256, bytes }) => ({ file, sha256, bytes })),
  } as const;
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
}

async function notesOf(connection: Connection, views: Views): Promise<string[]> {
  const column = views.get('notes')?.[0];
  if (column === undefined) return [];
  const rows = await rowsOf<{ note: string }>(
    connection,
    `select "${column}"::varchar as note from main.notes`,
  );
  return rows.map(({ note }) => note);
}

async function isSame(one: string, other: string, present: readonly string[]): Promise<boolean> {
  const names = await readdir(one);
  if (names.toSorted().join('\n') !== present.toSorted().join('\n')) return false;
  for (const name of names) {
    if ((await sha256OfFile(join(one, name))) !== (await sha256OfFile(join(other, name)))) return false;
  }
  return true;
}
