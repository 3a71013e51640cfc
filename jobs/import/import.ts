import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { VERSION } from '../../lib/version.ts';
import { openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { PROVENANCE_FILE } from '../lake/provenance.ts';
import type { Provenance } from '../lake/provenance.ts';
import { failBy, makeViews, prepareHelpers, readDeclared, readMapping, settingsOf } from './mapping.ts';
import type { Mapping, MappingSettings, Views } from './mapping.ts';
import { collectRuns, collectTracking, missingOf, writeRecords } from './records/records.ts';
import type { Missing, WrittenFile } from './records/records.ts';
import { leftOutOf, refusalsOf, refuseMissing, refuseProblems, refuseSkipped } from './report/refusals.ts';
import type { Refusal } from './report/refusals.ts';
import { brandsOf } from './report/report.ts';
import type { BrandCounts } from './report/report.ts';
import { listSources } from './read/sources.ts';
import type { SourceFile } from './read/sources.ts';
import { assignTables, stageTables } from './read/tables.ts';
import { selectRows } from '../relations.ts';
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
}

export interface ImportReport extends Provenance {
  files: WrittenFile[];
  /** Why answers were skipped, and where the first of them are. */
  refusals: Refusal[];
  /** What the export lacks. */
  missing: Missing[];
  /** Rows that are not answers, such as a total, and what was left out of an answer, such as an unreadable citation. */
  leftOut: Refusal[];
  /** What the source does not contain, by the mapping. */
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

async function runMapping(
  { mapping, sources, scratch, folder }: Run,
  options: ImportOptions,
): Promise<Omit<ImportReport, 'isKnown'>> {
  const tables = await tablesOf(sources, scratch);
  const access = { files: tables.map(({ path }) => path), folders: [folder, scratch] };
  using database = await openDatabase({ scratch, memoryBytes: MEMORY_BYTES, access });
  try {
    const connection = await database.connect();
    await prepareHelpers(connection, options);
    const declared = await readDeclared(connection, mapping);
    const assigned = assignTables(declared.tables, tables);
    const notRead = await stageTables(connection, assigned, scratch);
    await refuseProblems(connection);
    const views = await makeViews(connection, mapping, declared.statements);
    await collectTracking(connection, mapping, views);
    await collectRuns(connection, mapping, views, options.cycles);
    const missing = await missingOf(connection, mapping, views);
    const refusals = await refusalsOf(connection, 'from candidate where reason is not null');
    const { newestCycle, ...counts } = await countsOf(connection, options);
    const provenance = { ...counts, ...originOf(mapping, sources, options) };
    refuseSkipped(provenance.read, refusals, options.allowSkipped);
    refuseMissing(provenance.read, missing, options.allowMissing);
    const files = await writeRecords(connection, folder);
    if (files.length === 0 || (views.has('runs') && provenance.read === 0))
      throw new Failure(`mapping ${mapping.name} found nothing in these files`);
    const ignored = assigned.ignored.map((sheet) => `${sheet} was not read: no table has its name`);
    const notes = [...ignored, ...notRead, ...(await notesOf(connection, views))];
    const skipped = refusals.map(({ reason, records }) => ({ reason, records }));
    const record: Provenance = { ...provenance, skipped, missing };
    await writeFile(join(folder, PROVENANCE_FILE), `${JSON.stringify(record, null, 2)}\n`);
    return {
      ...record,
      missing,
      refusals,
      leftOut: await leftOutOf(connection),
      files,
      notes,
      brands: await brandsOf(connection),
      newestCycle,
    };
  } catch (error) {
    return failBy(mapping, error);
  }
}

async function countsOf(connection: Connection, { cycles }: ImportOptions) {
  type Row = Pick<ImportReport, 'read' | 'kept' | 'newestCycle'> & { repeated: number; others: number };
  const [row] = await selectRows<Row>(connection, import.meta, 'report/counts');
  const { repeated, others, ...counts } = row!;
  const merged = [
    { reason: 'the same answer again', records: repeated },
    { reason: `another answer of the same ${cycles === 'weekly' ? 'week' : 'day'}`, records: others },
  ];
  return { ...counts, merged: merged.filter(({ records }) => records > 0) };
}

function originOf(
  mapping: Mapping,
  sources: readonly SourceFile[],
  { settings, engines, cycles }: ImportOptions,
) {
  return {
    format: 1,
    version: VERSION,
    mapping: { name: mapping.name, sha256: mapping.sha256 },
    settings: sorted(settings),
    engines: sorted(engines),
    cycles,
    sources: sources.map(({ file, sha256, bytes }) => ({ file, sha256, bytes })),
  } as const;
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
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
