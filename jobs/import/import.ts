import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { VERSION } from '../../lib/version.ts';
import { executeCreating, openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { PROVENANCE_FILE } from '../lake/provenance.ts';
import type { Provenance } from '../lake/provenance.ts';
import { failBy, planMapping, prepareHelpers, readMapping, settingsOf } from './mapping.ts';
import type { Mapping, MappingPlan, MappingSettings } from './mapping.ts';
import { checkViews, collectRuns, collectTracking, writeRecords } from './records.ts';
import type { WrittenFile } from './records.ts';
import { listSources } from './sources.ts';
import type { SourceFile } from './sources.ts';
import { makeWholeFolder } from '../whole-folder.ts';
import { assignFiles, createViews } from './views.ts';

export interface ImportOptions extends MappingSettings {
  /** The name of a mapping that ships, or the path of an SQL file. */
  mapping: string;
  /** Files and folders of an export. */
  from: readonly string[];
  /** The drop's folder; it must not exist, be empty, or hold the same drop. */
  to: string;
  cycles: 'weekly' | 'daily';
  /** The largest share of answers that may be skipped, in percent. */
  allowSkipped: number;
}

export interface ImportReport extends Provenance {
  files: WrittenFile[];
  /** What the source does not contain, by the mapping. */
  notes: string[];
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
    work: async (folder) => {
      const plan = await planMapping(mapping, options, scratch.path);
      checkViews(mapping, plan);
      return await runMapping({ mapping, plan, sources, scratch: scratch.path, folder }, options);
    },
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
  const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  throw new Failure(`mapping ${mapping.name} has no setting ${unknown}; ${others}`);
}

interface Run {
  mapping: Mapping;
  plan: MappingPlan;
  sources: readonly SourceFile[];
  scratch: string;
  /** Where the drop is written. */
  folder: string;
}

async function runMapping(
  { mapping, plan, sources, scratch, folder }: Run,
  options: ImportOptions,
): Promise<Omit<ImportReport, 'isKnown'>> {
  const assigned = assignFiles(plan.declared, sources);
  const access = { files: sources.map(({ path }) => path), folder };
  using database = await openDatabase({ scratch, memoryBytes: MEMORY_BYTES, access });
  try {
    const connection = await database.connect();
    await prepareHelpers(connection, options);
    await createViews(connection, assigned);
    await executeCreating(connection, mapping.sql, { skipped: plan.declarations });
    await collectTracking(connection, mapping, plan);
    await collectRuns(connection, mapping, plan, options.cycles);
    const provenance = await provenanceOf(connection, mapping, sources, options);
    refuseSkipped(provenance, options.allowSkipped);
    const files = await writeRecords(connection, plan, folder);
    if (files.length === 0 || (plan.views.has('runs') && provenance.read === 0))
      throw new Failure(`mapping ${mapping.name} found nothing in these files`);
    await writeFile(join(folder, PROVENANCE_FILE), `${JSON.stringify(provenance, null, 2)}\n`);
    return {
      ...provenance,
      files,
      notes: await notesOf(connection, plan),
      newestCycle: await newestCycle(connection),
    };
  } catch (error) {
    return failBy(mapping, error);
  }
}

async function provenanceOf(
  connection: Connection,
  mapping: Mapping,
  sources: readonly SourceFile[],
  { settings, engines, cycles }: ImportOptions,
): Promise<Provenance> {
  const [counts] = await rowsOf<{ read: bigint; kept: bigint; repeated: bigint; others: bigint }>(
    connection,
    `select
       (select count(*) from candidate) as read,
       count(*) as kept,
       coalesce(sum(repeated), 0)::bigint as repeated,
       coalesce(sum(others), 0)::bigint as others
     from picked`,
  );
  const skipped = await rowsOf<{ reason: string; records: bigint }>(
    connection,
    `select reason, count(*) as records from candidate where reason is not null group by reason order by 2 desc, 1`,
  );
  const merged = [
    { reason: 'the same answer again', records: Number(counts!.repeated) },
    {
      reason: `another answer of the same ${cycles === 'weekly' ? 'week' : 'day'}`,
      records: Number(counts!.others),
    },
  ];
  return {
    format: 1,
    version: VERSION,
    mapping: { name: mapping.name, sha256: mapping.sha256 },
    settings: sorted(settings),
    engines: sorted(engines),
    cycles,
    sources: sources.map(({ file, sha256, bytes }) => ({ file, sha256, bytes })),
    read: Number(counts!.read),
    kept: Number(counts!.kept),
    merged: merged.filter(({ records }) => records > 0),
    skipped: skipped.map(({ reason, records }) => ({ reason, records: Number(records) })),
  };
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const MOST_REASONS = 3;

function refuseSkipped({ read, skipped }: Provenance, allowed: number): void {
  const count = skipped.reduce((sum, { records }) => sum + records, 0);
  if (count * 100 <= allowed * read) return;
  const reasons = skipped.slice(0, MOST_REASONS).map(({ reason, records }) => `${reason} (${records})`);
  const more = skipped.length > MOST_REASONS ? `; and ${skipped.length - MOST_REASONS} more reasons` : '';
  throw new Failure(
    `${count} of ${read} answers were skipped, more than ${allowed} %: ${reasons.join('; ')}${more}; --engine maps an unknown engine, --allow-skipped allows more`,
  );
}

async function notesOf(connection: Connection, plan: MappingPlan): Promise<string[]> {
  const column = plan.views.get('notes')?.[0];
  if (column === undefined) return [];
  const rows = await rowsOf<{ note: string }>(
    connection,
    `select "${column}"::varchar as note from main.notes`,
  );
  return rows.map(({ note }) => note);
}

async function newestCycle(connection: Connection): Promise<string | null> {
  const sql = `select max(cycle_date)::varchar as newest from candidate where reason is null`;
  const [row] = await rowsOf<{ newest: string | null }>(connection, sql);
  return row!.newest;
}

async function isSame(one: string, other: string, present: readonly string[]): Promise<boolean> {
  const names = await readdir(one);
  if (names.toSorted().join('\n') !== present.toSorted().join('\n')) return false;
  for (const name of names) {
    if ((await sha256OfFile(join(one, name))) !== (await sha256OfFile(join(other, name)))) return false;
  }
  return true;
}
