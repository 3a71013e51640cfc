import type { RecordKind } from '../lake/layout.ts';
import type { LedgerEntry, Source } from '../lake/ledger.ts';
import type { DropFile } from './drop.ts';
import { whyNotTaken } from './verdict.ts';
import type { TrackingRules } from './verdict.ts';

export interface HashedFile extends DropFile {
  sha256: string;
}

export interface MarkedFile extends HashedFile {
  /** What the ledger says of the same file; null where the file has to be read. */
  earlier: Source | null;
}

/** Two deliveries of a file are the same by its content; of a tracking file, by kind and date as well. */
function identityOf(kind: RecordKind, sha256: string, date: string): string {
  return kind === 'runs' ? sha256 : `${kind} ${date} ${sha256}`;
}

/** Finds the files that were delivered before. A file that was not taken then, but would be now, is read again. */
export function markKnown(
  files: readonly HashedFile[],
  ledger: readonly LedgerEntry[],
  date: string,
  rules: TrackingRules,
): MarkedFile[] {
  const sources = new Map<string, Source>();
  for (const delivery of ledger) {
    for (const source of delivery.sources)
      sources.set(identityOf(source.kind, source.sha256, delivery.trackingDate), source);
  }
  return files.map((file) => {
    const identity = identityOf(file.kind, file.sha256, date);
    const source = sources.get(identity) ?? null;
    // Twice in one drop: its refused records are counted once.
    if (source === null)
      sources.set(identity, sourceOf(file, { records: 0, repeated: 0, refused: 0 }, rules));
    const isKnown = source !== null && (source.isTaken || whyNotTaken(source, rules) !== null);
    return { ...file, earlier: isKnown ? source : null };
  });
}

/** A file's entry in the ledger. @param counts its records, after those delivered before were removed */
export function sourceOf(
  { file, kind, sha256, bytes }: HashedFile,
  counts: Pick<Source, 'records' | 'repeated' | 'refused'>,
  rules: TrackingRules,
): Source {
  const isTaken = kind === 'runs' || whyNotTaken({ kind, ...counts }, rules) === null;
  return { file, kind, sha256, bytes, ...counts, isTaken };
}
