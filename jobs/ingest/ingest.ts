import { rm, stat } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { makeScratch } from '../../lib/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { execute, openDatabase, readSql } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { RecordKind } from '../lake/layout.ts';
import { readLedger, recordDelivery } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import { listDrop } from './drop.ts';
import type { DropFile } from './drop.ts';
import { countReasons, countRefused, countStaged, fileReport, untouched } from './report.ts';
import type { IngestReport } from './report.ts';
import { removeRepeatedRuns, removeRepeatedTracking } from './repeated.ts';
import { stageFiles } from './stage.ts';
import { writeRejects, writeRunIds, writeRuns, writeTracking } from './write.ts';

export interface IngestOptions {
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

interface HashedFile extends DropFile {
  sha256: string;
  known: boolean;
  /** Of a known file: the records of it that were refused when it came first. */
  refusedBefore: number;
}

/**
 * Takes a drop into the lake: all of it or, after a {@link Failure}, nothing. Records that break the contract are
 * refused one by one and kept in the lake's rejects (inputs.md 1 to 3).
 */
export async function ingest(options: IngestOptions, effects: IngestEffects): Promise<IngestReport> {
  const { files, ignored } = await listDrop(options.from);
  const hashed = await Promise.all(
    files.map(async (file) => ({ ...file, sha256: await sha256OfFile(file.path) })),
  );
  const scratch = await makeScratch('ingest');
  try {
    for (;;) {
      const ledger = await readLedger(options.lake);
      const marked = markKnown(hashed, ledger, options.date);
      if (marked.every((file) => file.known)) {
        return { delivery: null, files: marked.map(untouched), refusals: [], ignored, rejects: null };
      }
      const report = await deliver(marked, ledger, scratch, options, effects);
      if (report !== null) return { ...report, ignored };
      // Another ingest took this delivery's number first: begin again, with what it delivered.
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What makes two deliveries of a file the same: runs add up, a tracking set belongs to its date. */
function nameOf(kind: RecordKind, sha256: string, date: string): string {
  return kind === 'runs' ? sha256 : `${kind} ${date} ${sha256}`;
}

function markKnown(
  files: readonly Omit<HashedFile, 'known' | 'refusedBefore'>[],
  ledger: readonly Delivery[],
  date: string,
): HashedFile[] {
  const refusedBy = new Map<string, number>();
  for (const { sources, trackingDate } of ledger) {
    for (const { kind, sha256, refused } of sources)
      refusedBy.set(nameOf(kind, sha256, trackingDate), refused);
  }
  return files.map((file) => {
    const name = nameOf(file.kind, file.sha256, date);
    const refusedBefore = refusedBy.get(name);
    // Twice in one drop: what is refused of it is counted once.
    if (refusedBefore === undefined) refusedBy.set(name, 0);
    return { ...file, known: refusedBefore !== undefined, refusedBefore: refusedBefore ?? 0 };
  });
}

async function deliver(
  marked: readonly HashedFile[],
  ledger: readonly Delivery[],
  scratch: string,
  { lake, date }: IngestOptions,
  effects: IngestEffects,
): Promise<Omit<IngestReport, 'ignored'> | null> {
  const files = marked.filter((file) => !file.known);
  const database = await openDatabase({ scratch });
  try {
    const connection = await database.connect();
    await execute(connection, await readSql('macros'));
    await execute(connection, await readSql('staging'));
    effects.onStart?.(files.reduce((sum, file) => sum + file.bytes, 0));
    await stageFiles(database, files, (bytes) => effects.onBytes?.(bytes));
    await assertUnchanged(files);
    const staged = await countStaged(connection);
    const refusedAtFirst = await countRefused(connection);
    const tracking = trackingKinds.filter((kind) => files.some((file) => file.kind === kind));
    for (const kind of tracking) await removeRepeatedTracking(database, connection, kind, files);
    await removeRepeatedRuns(database, connection, lake, ledger, files, scratch);
    const taken = await countStaged(connection);
    const refused = await countRefused(connection);

    const target = { connection, lake, scratch };
    const number = ledger.length + 1;
    const delivery: Delivery = {
      format: 1,
      number,
      receivedAt: new Date(effects.clock.now()).toISOString(),
      trackingDate: date,
      sources: files.map(({ file, kind, sha256, bytes }) => ({
        file,
        kind,
        sha256,
        bytes,
        records: taken.get(file) ?? 0,
        refused: refused.get(file) ?? 0,
      })),
      tracking: [],
      runs: await writeRuns(target),
      runIds: files.some((file) => file.kind === 'runs') ? await writeRunIds(target) : null,
      rejects: await writeRejects(target),
    };
    for (const kind of tracking)
      delivery.tracking.push({ kind, ...(await writeTracking(target, kind, date)) });
    if (!(await recordDelivery(lake, delivery))) return null;
    return {
      delivery: number,
      files: marked.map((file) =>
        file.known ? untouched(file) : fileReport(file, { staged, refusedAtFirst, taken, refused }),
      ),
      refusals: await countReasons(connection),
      rejects: delivery.rejects?.key ?? null,
    };
  } finally {
    database.close();
  }
}

async function assertUnchanged(files: readonly DropFile[]): Promise<void> {
  for (const { path, bytes, modifiedMs } of files) {
    const { size, mtimeMs } = await stat(path);
    if (size !== bytes || mtimeMs !== modifiedMs)
      throw new Failure(`${path} changed while it was read; try again`);
  }
}
