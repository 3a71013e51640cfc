import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { DropFile } from './drop.ts';

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
  kind: DropFile['kind'];
  taken: number;
  /** Delivered before with the same content. */
  repeated: number;
  refused: number;
  /** The same file was delivered before, and was left alone. */
  known: boolean;
  /** Records that were refused then. */
  refusedBefore: number;
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

/** What became of a file's records, counted before and after repeated ones were taken out. */
interface Counts {
  staged: PerFile;
  refusedAtFirst: PerFile;
  taken: PerFile;
  refused: PerFile;
}

export function fileReport(file: DropFile, counts: Counts): FileReport {
  const of = (count: PerFile) => count.get(file.file) ?? 0;
  const conflicting = of(counts.refused) - of(counts.refusedAtFirst);
  return {
    file: file.file,
    kind: file.kind,
    taken: of(counts.taken),
    repeated: of(counts.staged) - of(counts.taken) - conflicting,
    refused: of(counts.refused),
    known: false,
    refusedBefore: 0,
  };
}

export function untouched({ file, kind, refusedBefore }: DropFile & { refusedBefore: number }): FileReport {
  return { file, kind, taken: 0, repeated: 0, refused: 0, known: true, refusedBefore };
}
