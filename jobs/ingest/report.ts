import type { RecordKind } from '../lake/layout.ts';
import type { Source } from '../lake/delivery.ts';
import { whyNotIngested } from './source.ts';
import type { NotIngested, TrackingRules } from './source.ts';

/** Of one file and reason; the other refused records are only counted, so that a drop of rubbish does not fill the lake. */
export const REJECTS_KEPT = 10_000;

export interface IngestReport {
  /** The delivery's number in the lake; null if everything had been delivered before. */
  delivery: number | null;
  files: FileReport[];
  /** By reason, all that were refused and those that are kept. */
  refusals: { reason: string; records: number; kept: number }[];
  /** Files of the folder that are not part of a drop. */
  ignored: string[];
  /** The key of the rejects file; null if nothing was refused. */
  rejects: string | null;
}

export interface FileReport {
  file: string;
  kind: RecordKind;
  ingested: number;
  /** Delivered before with the same content. */
  repeated: number;
  refused: number;
  /** The same file was delivered before, and was not read again. */
  known: boolean;
  /** Records that were refused then. */
  refusedBefore: number;
  /** Why nothing of the file is ingested, now or when it was first delivered; null if something is. */
  notIngested: NotIngested | null;
}

/** @param source what the ledger says of the file, from now or, if it is known, from when it was first delivered */
export function fileReport(file: string, source: Source, known: boolean, rules: TrackingRules): FileReport {
  const { kind, records, repeated, refused, isTaken } = source;
  const counts = known
    ? { ingested: 0, repeated: 0, refused: 0, refusedBefore: refused }
    : { ingested: isTaken ? records : 0, repeated, refused, refusedBefore: 0 };
  const notIngested = isTaken && kind !== 'runs' ? null : whyNotIngested(source, rules);
  return { file, kind, ...counts, known, notIngested };
}
