import { rm, stat } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import { nextPlace, readLedger, recordDelivery } from '../lake/ledger.ts';
import type { Delivery, LedgerEntry, Source } from '../lake/ledger.ts';
import { readProvenance } from '../lake/provenance.ts';
import { listDrop } from './drop.ts';
import type { DropFile } from './drop.ts';
import { markKnown, sourceOf } from './known.ts';
import type { HashedFile, MarkedFile } from './known.ts';
import { countReasons, countRefused, countStaged, knownFileReport, newFileReport } from './report.ts';
import type { IngestReport } from './report.ts';
import { removeRepeatedRuns, removeRepeatedTracking } from './repeated/repeated.ts';
import { stageFiles } from './check/stage.ts';
import { makeTables } from './tables.ts';
import type { TrackingRules } from './verdict.ts';
import { writeRejects, writeRunIds, writeRuns, writeTracking } from './write.ts';

export interface IngestOptions extends TrackingRules {
  /** The drop's folder. */
  from: string;
  lake: ObjectStore;
  /** The tracking date, `YYYY-MM-DD`. */
  date: string;
}

export interface IngestEffects {
  clock: Clock;
  /** Called with the bytes of the drop's files that are new, once, before work begins; then as they are read. */
  onStart?(bytes: number): void;
  onBytes?(bytes: number): void;
}

/**
 * Takes a drop into the lake: every file that can be read or, after a {@link Failure}, nothing. Records that break the
 * contract are refused one by one and kept in the lake's rejects; a tracking file with such a record is not taken
 * (docs/ingest.md).
 */
export async function ingest(options: IngestOptions, effects: IngestEffects): Promise<IngestReport> {
  const { files, ignored } = await listDrop(options.from);
  const hashed: HashedFile[] = [];
  for (const file of files) hashed.push({ ...file, sha256: await sha256OfFile(file.path) });
  const scratch = await makeScratch('ingest');
  try {
    for (;;) {
      const ledger = await readLedger(options.lake);
      const marked = markKnown(hashed, ledger, options.date, options);
      const report = await deliver(marked, ledger, scratch, options, effects);
      if (report !== null) return { ...report, ignored };
      // Another ingest took this delivery's number first: begin again, with what it delivered.
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function deliver(
  marked: readonly MarkedFile[],
  ledger: readonly LedgerEntry[],
  scratch: string,
  options: IngestOptions,
  effects: IngestEffects,
): Promise<Omit<IngestReport, 'ignored'> | null> {
  const files = marked.filter(({ earlier }) => earlier === null);
  const reportWith = (sources: readonly Source[]) =>
    marked.map(({ file, earlier }) =>
      earlier === null
        ? newFileReport(
            sources.find((source) => source.file === file)!,
            options,
          )
        : knownFileReport(file, earlier, options),
    );
  if (files.length === 0) return { delivery: null, files: reportWith([]), refusals: [], rejects: null };
  const provenance = await readProvenance(options.from);
  const database = await openDatabase({ scratch });
  try {
    const connection = await database.connect();
    await makeTables(connection);
    effects.onStart?.(files.reduce((sum, file) => sum + file.bytes, 0));
    const sources = await stageSources({ database, connection, ledger, files, scratch }, options, effects);
    const objects = await writeObjects(connection, sources, scratch, options);
    const receivedAt = new Date(effects.clock.now()).toISOString();
    const delivery: Delivery = {
      ...nextPlace(ledger),
      receivedAt,
      trackingDate: options.date,
      sources,
      ...objects,
      ...(provenance === null ? {} : { import: provenance }),
    };
    if (!(await recordDelivery(options.lake, delivery))) return null;
    return {
      delivery: delivery.number,
      files: reportWith(sources),
      refusals: await countReasons(connection),
      rejects: delivery.rejects?.key ?? null,
    };
  } finally {
    database.close();
  }
}

interface Staging {
  database: Database;
  connection: Connection;
  ledger: readonly LedgerEntry[];
  /** The files that are new. */
  files: readonly HashedFile[];
  scratch: string;
}

/** Fills the staged tables with what the lake does not have yet. */
async function stageSources(
  { database, connection, ledger, files, scratch }: Staging,
  options: IngestOptions,
  effects: IngestEffects,
): Promise<Source[]> {
  await stageFiles(database, files, (bytes) => effects.onBytes?.(bytes));
  await assertUnchanged(files);
  const staged = await countStaged(connection);
  const refusedAtFirst = await countRefused(connection);
  for (const kind of trackingKinds) {
    if (files.some((file) => file.kind === kind))
      await removeRepeatedTracking(database, connection, kind, files);
  }
  await removeRepeatedRuns(database, connection, options.lake, ledger, files, scratch);
  const kept = await countStaged(connection);
  const refusedAtLast = await countRefused(connection);
  return files.map((file) => {
    const of = (count: Map<string, number>) => count.get(file.file) ?? 0;
    const refused = of(refusedAtLast);
    const repeated = of(staged) + of(refusedAtFirst) - of(kept) - refused;
    return sourceOf(file, { records: of(kept), repeated, refused }, options);
  });
}

/** Writes the staged tables into the lake, but for tracking files that are not taken. */
async function writeObjects(
  connection: Connection,
  sources: readonly Source[],
  scratch: string,
  { lake, date }: IngestOptions,
): Promise<Pick<Delivery, 'tracking' | 'runs' | 'runIds' | 'rejects'>> {
  const target = { connection, lake, scratch };
  const tracking: Delivery['tracking'] = [];
  for (const kind of trackingKinds) {
    if (sources.some((source) => source.kind === kind && source.isTaken))
      tracking.push({ kind, ...(await writeTracking(target, kind, date)) });
  }
  return {
    tracking,
    runs: await writeRuns(target),
    runIds: sources.some(({ kind }) => kind === 'runs') ? await writeRunIds(target) : null,
    rejects: await writeRejects(target),
  };
}

async function assertUnchanged(files: readonly DropFile[]): Promise<void> {
  for (const { path, bytes, modifiedMs } of files) {
    const found = await stat(path).catch(() => null);
    if (found?.size !== bytes || found.mtimeMs !== modifiedMs)
      throw new Failure(`${path} changed while it was read; try again`);
  }
}
