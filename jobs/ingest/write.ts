import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { execute, rowsOf, streamRows } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { literal, parquetFiles } from '../literals.ts';
import { rejectsKey, runIdsKey, runsKey, trackingKey } from '../lake/layout.ts';
import type { TrackingKind } from '../lake/layout.ts';
import type { LakeObject, RunsObject } from '../lake/ledger.ts';

/** What the writers of lake objects need. */
export interface Target {
  connection: Connection;
  lake: ObjectStore;
  /** A folder of ours: objects are written there first, then put into the lake whole. */
  scratch: string;
}

/** A tracking set as delivered, also an empty one: that replaces with nothing. */
export async function writeTracking(target: Target, kind: TrackingKind, date: string): Promise<LakeObject> {
  const select = `select * exclude (file, line) from staged_${kind} order by id`;
  return await writeParquet(target, select, (sha256) => trackingKey(kind, date, sha256));
}

/** The staged runs, one object for each cycle, sorted so that a brand's runs lie together. */
export async function writeRuns(target: Target): Promise<RunsObject[]> {
  const cycles = await rowsOf<{ cycle: string; ran_from: bigint; ran_to: bigint }>(
    target.connection,
    `select cycle_date::varchar as cycle, epoch_us(min(ran_at)) as ran_from, epoch_us(max(ran_at)) as ran_to
     from staged_runs group by cycle_date order by cycle_date`,
  );
  const objects: RunsObject[] = [];
  for (const { cycle, ran_from, ran_to } of cycles) {
    const select = `
      select * exclude (file, line) from staged_runs
      where cycle_date = date ${literal(cycle)} order by brand_id, prompt_id, engine, ran_at, id`;
    const object = await writeParquet(target, select, (sha256) => runsKey(cycle, sha256));
    objects.push({ ...object, cycleDate: cycle, ranFrom: String(ran_from), ranTo: String(ran_to) });
  }
  return objects;
}

/** Hashes of the staged runs' ids, with their cycles: what a later ingest looks through, and no more. */
export async function writeRunIds(target: Target): Promise<LakeObject> {
  const select =
    'select distinct run_hash(id) as hash, cycle_date from staged_runs order by hash, cycle_date';
  // Version 2 stores the differences of sorted numbers: a third less.
  return await writeParquet(target, select, runIdsKey, 'parquet_version v2');
}

async function writeParquet(
  { connection, lake, scratch }: Target,
  select: string,
  keyOf: (sha256: string) => string,
  option = 'parquet_version v1',
): Promise<LakeObject> {
  const path = join(scratch, 'object.parquet');
  const copy = `copy (${select}) to ${literal(path)} (format parquet, compression zstd, ${option})`;
  await execute(connection, copy);
  const [counted] = await rowsOf<{ n: bigint }>(
    connection,
    `select count(*) as n from ${parquetFiles([path])}`,
  );
  return await put(lake, path, keyOf, Number(counted!.n));
}

/** Every refused record with file, line, reason and its own text (docs/ingest.md); null where none was refused. */
export async function writeRejects({ connection, lake, scratch }: Target): Promise<LakeObject | null> {
  const path = join(scratch, 'rejects.ndjson');
  let rows = 0;
  async function* texts() {
    const select = 'select file, line, reason, record, record_base64 from reject order by file, line';
    for await (const chunk of streamRows<RejectRow>(connection, select)) {
      rows += chunk.length;
      yield chunk.map((row) => `${JSON.stringify(rejectOf(row))}\n`).join('');
    }
  }
  await pipeline(Readable.from(texts()), createWriteStream(path)).catch((error: unknown) => {
    throw new Failure(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  });
  return rows === 0 ? null : await put(lake, path, rejectsKey, rows);
}

interface RejectRow {
  file: string;
  line: bigint;
  reason: string;
  record: string;
  record_base64: string | null;
}

function rejectOf({ file, line, reason, record, record_base64 }: RejectRow) {
  const base64 = record_base64 === null ? {} : { record_base64 };
  return { file, line: Number(line), reason, record, ...base64 };
}

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
