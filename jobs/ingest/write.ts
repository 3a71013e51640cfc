import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { rejectsKey, runIdsKey, trackingKey } from '../lake/layout.ts';
import type { TrackingKind } from '../lake/layout.ts';
import type { LakeObject } from '../lake/delivery.ts';
import { copyRows, makeTable } from '../relations.ts';
import { REJECTS_KEPT } from './report.ts';

/** What the writers of lake objects need. */
export interface Target {
  connection: Connection;
  lake: ObjectStore;
  /** A folder in which objects are written first; then they are put into the lake whole. */
  scratch: string;
}

/** Writes a tracking set as delivered, even if it is empty: it then replaces all of its kind with nothing. */
export async function writeTracking(target: Target, kind: TrackingKind, date: string): Promise<LakeObject> {
  const select = `select * exclude (file, line) from staged_${kind} order by id`;
  return await writeParquet(target, select, (sha256) => trackingKey(kind, date, sha256));
}

/** Writes hashes of the staged runs' ids, with their cycles: a later ingest searches them instead of the runs. */
export async function writeRunIds(target: Target): Promise<LakeObject> {
  const select =
    'select distinct run_hash(id) as hash, cycle_date from staged_runs order by hash, cycle_date';
  // Version 2 stores the differences of sorted numbers: a third less.
  return await writeParquet(target, select, runIdsKey, 'parquet_version v2');
}

export async function writeParquet(
  { connection, lake, scratch }: Target,
  select: string,
  keyOf: (sha256: string) => string,
  option = 'parquet_version v1',
): Promise<LakeObject> {
  const path = join(scratch, 'object.parquet');
  const rows = await copyRows(connection, select, path, `format parquet, compression zstd, ${option}`);
  return await put(lake, path, keyOf, rows);
}

/**
 * Writes the refused records that are kept, with file, line, reason and their own text (docs/ingest.md); null if none was
 * refused. A few at a time: a record may have 32 MiB.
 */
export async function writeRejects(target: Target): Promise<LakeObject | null> {
  const { connection } = target;
  await makeTable(connection, import.meta, 'kept-reject', { kept: BigInt(REJECTS_KEPT) });
  const batches = await rowsOf<{ batch: bigint; from_line: bigint; to_line: bigint }>(
    connection,
    'select batch, min(line) as from_line, max(line) as to_line from kept_reject group by batch order by batch',
  );
  async function* lines() {
    for (const batch of batches) {
      for (const reject of await rowsOf<Reject>(connection, REJECTS, batch)) {
        const { line, record_base64 } = reject;
        yield `${JSON.stringify({ ...reject, line: Number(line), record_base64: record_base64 ?? undefined })}\n`;
      }
    }
  }
  return await putRejects(target, lines());
}

/** Puts lines, each with its end, into the lake as a rejects object; null if there are none. */
export async function putRejects(
  { lake, scratch }: Target,
  lines: AsyncIterable<string>,
): Promise<LakeObject | null> {
  const path = join(scratch, 'rejects.ndjson');
  let rows = 0;
  async function* counted() {
    for await (const line of lines) {
      rows++;
      yield line;
    }
  }
  await pipeline(Readable.from(counted()), createWriteStream(path)).catch((error: unknown) => {
    throw new Failure(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  });
  return rows === 0 ? null : await put(lake, path, rejectsKey, rows);
}

interface Reject {
  line: bigint;
  record_base64: string | null;
}

// The lines are limited once more: the texts of others are not read then.
const REJECTS = `
  select file, line, reason, record, record_base64
  from reject semi join (from kept_reject where batch = $batch) using (file, line)
  where line between $from_line and $to_line
  order by line`;

async function put(
  lake: ObjectStore,
  path: string,
  keyOf: (sha256: string) => string,
  rows: number,
): Promise<LakeObject> {
  const sha256 = await sha256OfFile(path);
  const key = keyOf(sha256);
  await lake.createFromFile(key, path);
  const { size } = await stat(path);
  return { key, sha256, bytes: size, rows };
}
