import { stat } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { markLake } from '../../lib/store/lake.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import { nextPlace, readLedger, recordDelivery } from '../lake/ledger.ts';
import type { Delivery, LedgerEntry, Source } from '../lake/delivery.ts';
import { readProvenance } from '../lake/provenance.ts';
import { selectRows } from '../relations.ts';
import { stageFiles } from './check/stage.ts';
import { listDrop } from './drop.ts';
import type { DropFile } from './drop.ts';
import { RUNS_IN_OBJECT, writeRuns } from './runs/runs.ts';
import { removeRepeated } from './repeated/repeated.ts';
import { fileReport, REJECTS_KEPT } from './report.ts';
import type { IngestReport } from './report.ts';
import { markKnown, noRecords, sourceOf } from './source.ts';
import type { Counts, HashedFile, MarkedFile, TrackingRules } from './source.ts';
import { makeTables } from './tables.ts';
import { writeRejects, writeRunIds, writeTracking } from './write.ts';
import type { Target } from './write.ts';

export interface IngestOptions extends TrackingRules {
  /** The drop's folder. */
  from: string;
  lake: ObjectStore;
  /** The tracking date, `YYYY-MM-DD`. */
  date: string;
  /** For tests (default: {@link RUNS_IN_OBJECT}). */
  runsInObject?: number;
  /** Threads of DuckDB (default: one for each core). */
  threads?: number;
}

export interface IngestEffects {
  clock: Clock;
  /** Called with the bytes of the drop's files that are new, once, before work begins; then as they are read. */
  onStart?(bytes: number): void;
  onBytes?(bytes: number): void;
}

/**
 * Writes a drop to the lake: every file or, after a {@link Failure}, nothing. Records that break the contract are refused
 * one by one and kept in the lake's rejects; a tracking file with such a record is not ingested (docs/ingest.md). The first
 * delivery makes the lake.
 */
export async function ingest(options: IngestOptions, effects: IngestEffects): Promise<IngestReport> {
  refuseDateAhead(options.date, effects.clock.now());
  const { files, ignored } = await listDrop(options.from);
  const hashed: HashedFile[] = [];
  for (const file of files) hashed.push({ ...file, sha256: await sha256OfFile(file.path) });
  await using scratch = await makeScratch('ingest');
  for (;;) {
    const ledger = await readLedger(options.lake);
    const marked = markKnown(hashed, ledger, options.date, options);
    const report = await deliver(marked, ledger, scratch.path, options, effects);
    if (report !== null) return { ...report, ignored };
    // Another ingest took this delivery's number first: start again, with what it delivered.
  }
}

const DAY_MS = 86_400_000;

/** Tracking files of a later date are invisible until that day, and then replace what was delivered meanwhile. */
function refuseDateAhead(date: string, now: number): void {
  if (Date.parse(date) <= now + DAY_MS) return;
  const today = new Date(now).toISOString().slice(0, 10);
  throw new Failure(
    `the tracking date ${date} is more than a day ahead of today, ${today}: nothing was ingested; correct the date, or this machine's clock`,
  );
}

async function deliver(
  marked: readonly MarkedFile[],
  ledger: readonly LedgerEntry[],
  scratch: string,
  options: IngestOptions,
  effects: IngestEffects,
): Promise<Omit<IngestReport, 'ignored'> | null> {
  const { lake, date } = options;
  const files = marked.filter(({ earlier }) => earlier === null);
  const reportWith = (sources: readonly Source[]) =>
    marked.map(({ file, earlier }) => {
      const source = earlier ?? sources.find((each) => each.file === file)!;
      return fileReport(file, source, earlier !== null, options);
    });
  if (files.length === 0) return { delivery: null, files: reportWith([]), refusals: [], rejects: null };
  const provenance = await readProvenance(options.from);
  using database = await openDatabase({ scratch, threads: options.threads });
  const connection = await database.connect();
  const target = { connection, lake, scratch };
  await makeTables(connection);
  effects.onStart?.(files.reduce((sum, file) => sum + file.bytes, 0));
  await stageFiles(database, files, (bytes) => effects.onBytes?.(bytes));
  await assertUnchanged(files);
  await removeRepeated(database, target, files, ledger);
  const sources = await sourcesOf(connection, files, options);
  if (ledger.length === 0) await markLake(lake);
  const delivery: Delivery = {
    ...nextPlace(ledger),
    trackingDate: date,
    sources,
    ...(await writeObjects(target, sources, ledger, options)),
    ...(provenance === null ? {} : { import: provenance }),
    receivedAt: new Date(effects.clock.now()).toISOString(),
  };
  if (!(await recordDelivery(lake, delivery))) return null;
  return {
    delivery: delivery.number,
    files: reportWith(sources),
    refusals: await selectRows(connection, import.meta, 'refusals', { kept: BigInt(REJECTS_KEPT) }),
    rejects: delivery.rejects?.key ?? null,
  };
}

async function sourcesOf(
  connection: Connection,
  files: readonly HashedFile[],
  rules: TrackingRules,
): Promise<Source[]> {
  const rows = await selectRows<Counts & { file: string }>(connection, import.meta, 'counts');
  const counts = new Map(rows.map(({ file, ...counted }) => [file, counted]));
  return files.map((file) => sourceOf(file, counts.get(file.file) ?? noRecords, rules));
}

/** Writes the staged tables into the lake, except tracking files that are not ingested. */
async function writeObjects(
  target: Target,
  sources: readonly Source[],
  ledger: readonly Delivery[],
  { date, runsInObject = RUNS_IN_OBJECT }: IngestOptions,
): Promise<Pick<Delivery, 'tracking' | 'runs' | 'runBrands' | 'runIds' | 'rejects'>> {
  const tracking: Delivery['tracking'] = [];
  for (const kind of trackingKinds) {
    if (sources.some((source) => source.kind === kind && source.isTaken))
      tracking.push({ kind, ...(await writeTracking(target, kind, date)) });
  }
  return {
    tracking,
    ...(await writeRuns(target, ledger, runsInObject)),
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
