import type { RecordKind } from '../lake/layout.ts';
import type { Delivery, Source } from '../lake/delivery.ts';
import type { DropFile } from './drop.ts';

/** What the operator allows a tracking file to be (docs/ingest.md). */
export interface TrackingRules {
  /** Ingest the valid records of a tracking file that has refused ones. */
  partialTracking?: boolean | undefined;
  /** Ingest a tracking file without a valid record: it replaces all of its kind with nothing. */
  emptyTracking?: boolean | undefined;
}

export type NotIngested = 'refused' | 'empty';

export interface HashedFile extends DropFile {
  sha256: string;
}

export interface MarkedFile extends HashedFile {
  /** What the ledger says of the same file; null if the file has to be read. */
  earlier: Source | null;
}

/** How many records of a file are new and valid, were delivered before, and are refused. */
export type Counts = Pick<Source, 'records' | 'repeated' | 'refused'>;
export const noRecords: Counts = { records: 0, repeated: 0, refused: 0 };

/**
 * Why nothing of a file is ingested; null if something is. A tracking file replaces everything of its kind, so one
 * with refused records, or with no record at all, would make customers' brands disappear.
 */
export function whyNotIngested(
  { kind, records, repeated, refused }: Counts & Pick<Source, 'kind'>,
  rules: TrackingRules,
): NotIngested | null {
  if (kind === 'runs') return refused > 0 && records + repeated === 0 ? 'refused' : null;
  if (refused > 0 && !rules.partialTracking) return 'refused';
  return records === 0 && !rules.emptyTracking ? 'empty' : null;
}

/** Two deliveries of a file are the same by its content; of a tracking file, by kind and date as well. */
function identityOf(kind: RecordKind, sha256: string, date: string): string {
  return kind === 'runs' ? sha256 : `${kind} ${date} ${sha256}`;
}

/** Finds the files that were delivered before. A file that was not ingested then, but would be now, is read again. */
export function markKnown(
  files: readonly HashedFile[],
  ledger: readonly Delivery[],
  date: string,
  rules: TrackingRules,
): MarkedFile[] {
  const sources = new Map<string, Source>();
  for (const { trackingDate, sources: delivered } of ledger) {
    for (const source of delivered) {
      // After A and B of one date, A is not in force: it is delivered again.
      if (source.kind !== 'runs' && source.isTaken)
        forget(sources, identityOf(source.kind, '', trackingDate));
      sources.set(identityOf(source.kind, source.sha256, trackingDate), source);
    }
  }
  return files.map((file) => {
    const identity = identityOf(file.kind, file.sha256, date);
    const source = sources.get(identity) ?? null;
    // Twice in one drop: its refused records are counted once.
    if (source === null) sources.set(identity, sourceOf(file, noRecords, rules));
    const isKnown = source !== null && (source.isTaken || whyNotIngested(source, rules) !== null);
    return { ...file, earlier: isKnown ? source : null };
  });
}

/** Removes the ingested tracking files of a kind and date. */
function forget(sources: Map<string, Source>, kindAndDate: string): void {
  for (const [identity, { isTaken }] of sources) {
    if (isTaken && identity.startsWith(kindAndDate)) sources.delete(identity);
  }
}

/** A file's entry in the ledger. */
export function sourceOf(
  { file, kind, sha256, bytes }: HashedFile,
  counts: Counts,
  rules: TrackingRules,
): Source {
  const isTaken = kind === 'runs' || whyNotIngested({ kind, ...counts }, rules) === null;
  return { file, kind, sha256, bytes, ...counts, isTaken };
}
