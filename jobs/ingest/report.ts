import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { RecordKind } from '../lake/layout.ts';
import type { Source } from '../lake/ledger.ts';
import { whyNotTaken } from './verdict.ts';
import type { NotTaken, TrackingRules } from './verdict.ts';

export interface IngestReport {
  /** The delivery's number in the lake; null where everything had been delivered before. */
  delivery: number | null;
  files: FileReport[];
  refusals: { reason: string; records: number }[];
  /** Files of the folder that are no part of a drop. */
  ignored: string[];
  /** The key of the rejects file; null where nothing was refused. */
  rejects: string | null;
}

export interface FileReport {
  file: string;
  kind: RecordKind;
  taken: number;
  /** Delivered before with the same content. */
  repeated: number;
  refused: number;
  /** The same file was delivered before, and was left alone. */
  known: boolean;
  /** Records that were refused then. */
  refusedBefore: number;
  /** Why nothing of the file is taken, now or when it came first; null where something is. */
  notTaken: NotTaken | null;
}

type PerFile = Map<string, number>;

export async function countStaged(connection: Connection): Promise<PerFile> {
  const counts = [...trackingKinds, 'runs'].map(
    (kind) => `select file, count(*) as n from staged_${kind} group by file`,
  );
  return await countPerFile(connection, counts.join(' union all '));
}

export async function countRefused(connection: Connection): Promise<PerFile> {
  return await countPerFile(connection, 'select file, count(*) as n from reject group by file');
}

async function countPerFile(connection: Connection, sql: string): Promise<PerFile> {
  const rows = await rowsOf<{ file: string; n: bigint }>(connection, sql);
  return new Map(rows.map(({ file, n }) => [file, Number(n)]));
}

export async function countReasons(connection: Connection): Promise<IngestReport['refusals']> {
  const rows = await rowsOf<{ reason: string; n: bigint }>(
    connection,
    'select reason, count(*) as n from reject group by reason order by n desc, reason',
  );
  return rows.map(({ reason, n }) => ({ reason, records: Number(n) }));
}

export function newFileReport(source: Source, rules: TrackingRules): FileReport {
  const { file, kind, records, repeated, refused, isTaken } = source;
  return {
    file,
    kind,
    taken: isTaken ? records : 0,
    repeated,
    refused,
    known: false,
    refusedBefore: 0,
    notTaken: whyNotTaken(source, rules),
  };
}

/** @param earlier what the ledger says of the same file */
export function knownFileReport(file: string, earlier: Source, rules: TrackingRules): FileReport {
  return {
    file,
    kind: earlier.kind,
    taken: 0,
    repeated: 0,
    refused: 0,
    known: true,
    refusedBefore: earlier.refused,
    notTaken: earlier.isTaken && earlier.kind !== 'runs' ? null : whyNotTaken(earlier, rules),
  };
}
