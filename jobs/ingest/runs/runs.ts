import { execute, rowsOf } from '../../duckdb.ts';
import { runBrandsKey, runsKey } from '../../lake/layout.ts';
import { newestTracking } from '../../lake/ledger.ts';
import type { Delivery, LakeObject, RunsObject } from '../../lake/delivery.ts';
import { localPaths } from '../../lake/local.ts';
import { parquetFiles } from '../../literals.ts';
import { makeTable, makeTableOf, selectRows, sqlNextTo } from '../../relations.ts';
import { writeParquet } from '../write.ts';
import type { Target } from '../write.ts';

/**
 * A cycle with more runs is split into buckets: a power of two of them, so that each has no more on average. 20,000 brands ×
 * 25 prompts × 8 engines make 128, of which one of ten shards reads at most 14.
 */
export const RUNS_IN_OBJECT = 32_768;

/** A slice of the weekly job (jobs/weekly/slices/) reads whole row groups: those of DuckDB's usual size would be whole objects. */
export const RUNS_FORMAT = 'parquet_version v1, row_group_size 8192';

/** A cycle of the delivery; its runs are in 2 to the power of `bits` buckets. */
interface Cycle {
  cycleDate: string;
  bits: number;
}

/** A bucket is an equal range of the hashes of workspaces' ids. */
interface Bucket extends Pick<RunsObject, 'ranFrom' | 'ranTo'> {
  bucket: bigint;
}

interface WrittenBucket extends Cycle {
  bucket: bigint;
  object: RunsObject;
}

/** Writes the staged runs, an object for each bucket of a cycle, sorted by place: a range of places is in few row groups. */
export async function writeRuns(
  target: Target,
  ledger: readonly Delivery[],
  runsInObject: number,
): Promise<Pick<Delivery, 'runs' | 'runBrands'>> {
  const cycles = await cyclesOf(target, runsInObject);
  if (cycles.length === 0) return { runs: [], runBrands: null };
  await viewKnownBrands(target, ledger);
  await makeTable(target.connection, import.meta, 'run-place');
  const written: WrittenBucket[] = [];
  for (const cycle of cycles) written.push(...(await writeCycle(target, cycle)));
  const runs = written.map(({ object }) => object);
  return { runs, runBrands: await writeRunBrands(target, written) };
}

async function cyclesOf({ connection }: Target, runsInObject: number): Promise<Cycle[]> {
  const rows = await rowsOf<{ cycleDate: string; runs: number }>(
    connection,
    `select cycle_date::varchar as "cycleDate", count(*)::double as runs
     from staged_runs group by cycle_date order by cycle_date`,
  );
  return rows.map(({ cycleDate, runs }) => ({
    cycleDate,
    bits: Math.max(0, Math.ceil(Math.log2(runs / runsInObject))),
  }));
}

/** Makes the view `known_brand` of the drop's brands or, if it has none, of those that the lake has for the latest date. */
async function viewKnownBrands({ connection, lake, scratch }: Target, ledger: readonly Delivery[]) {
  const newest = newestTracking(ledger).brands;
  const paths = newest === undefined ? [] : await localPaths(lake, [newest], scratch);
  const staged = 'select id, workspace_id from staged_brands';
  const earlier = paths.map(
    (path) => `select id, workspace_id from ${parquetFiles([path])} where not exists (from staged_brands)`,
  );
  await execute(
    connection,
    `create or replace view known_brand as ${[staged, ...earlier].join(' union all ')}`,
  );
}

async function writeCycle(target: Target, { cycleDate, bits }: Cycle): Promise<WrittenBucket[]> {
  const { connection } = target;
  await makeTable(connection, import.meta, 'cycle-run', { cycle: cycleDate, bits });
  const written = [];
  for (const { bucket, ...times } of await selectRows<Bucket>(connection, import.meta, 'buckets')) {
    const select = `
      select * exclude (bucket) from cycle_run where bucket = ${bucket}
      order by place, brand_id, prompt_id, engine, ran_at, id`;
    const object = await writeParquet(target, select, (sha256) => runsKey(cycleDate, sha256), RUNS_FORMAT);
    written.push({ cycleDate, bits, bucket, object: { ...object, cycleDate, ...times } });
  }
  await execute(connection, 'drop table cycle_run');
  return written;
}

/** Writes how many runs of which brand each object has: a brand may move, or be tracked only after its runs came. */
async function writeRunBrands(target: Target, written: readonly WrittenBucket[]): Promise<LakeObject> {
  const rows = written.map(({ object, cycleDate, bits, bucket }) => {
    return { object: object.key, cycle_date: cycleDate, bits, bucket };
  });
  const columns = { object: 'varchar', cycle_date: 'date', bits: 'integer', bucket: 'bigint' } as const;
  await makeTableOf(target.connection, 'run_object', columns, rows);
  return await writeParquet(target, await sqlNextTo(import.meta, 'run-brand'), runBrandsKey);
}
