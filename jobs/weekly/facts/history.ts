import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Micros } from '../../../lib/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { mapConcurrently } from '../../concurrency.ts';
import { execute, parquetFiles, readSql, rowsOf, textList } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { localPaths } from '../../lake/local.ts';
import { viewRuns } from '../run-files.ts';
import type { RunFiles } from '../run-files.ts';
import { dropOldBases, store } from './keep.ts';
import type { NamesSource, NamesSources } from './names.ts';
import { ownSchema } from './own-schema.ts';
import type { OwnSchema } from './own-schema.ts';
import { namesKey, scoresKey } from './plan.ts';
import type { Plan } from './plan.ts';
import { reduceCycles } from './reduce.ts';
import type { Scope } from './scope.ts';

/** All cycles of a snapshot, reduced: scores in the table `score`, names in files. */
export interface History {
  names: Omit<NamesSources, 'packs'>;
  /** Where the names of the base for the weeks to come are to be written; null where there is no new one. */
  basePath: string | null;
  /** Stores the new base, once its names are written. */
  keep(): Promise<void>;
}

export interface HistoryInput {
  database: Database;
  connection: Connection;
  lake: ObjectStore;
  plan: Plan;
  scope: Scope;
  runFiles: RunFiles;
  asOf: Micros;
  scratch: string;
}

/** Reads what is stored and reduces the runs of all other cycles; needs the tables of tracking.sql. */
export async function openHistory(input: HistoryInput): Promise<History> {
  const { connection, lake, plan, scope, scratch } = input;
  await execute(connection, await readSql('weekly/score'));
  if (scope.onlyPublished) await execute(connection, 'insert into reduced_brand select id from brand');
  await readStoredScores(input);
  const strays = await findStrays(connection);
  const files = [
    ...(await fetchStored(input)),
    ...(await reduceStrays(input, strays)),
    ...(await reduceUnreduced(input)),
  ];
  const basePath = isBaseDue(plan, scope) ? join(scratch, 'base.bin') : null;
  return {
    names: { files, strays, cycleCount: plan.cycles.length },
    basePath,
    async keep() {
      if (basePath === null) return;
      const prefix = `${plan.cycles.at(-1)!.bases}${scope.name}/`;
      await store(connection, lake, prefix, 'from score', basePath);
      await dropOldBases(lake, scope.name);
    },
  };
}

function isBaseDue({ cycles, baseCycles }: Plan, { keeps }: Scope): boolean {
  return keeps && baseCycles < cycles.length && cycles.every((cycle) => cycle.isSettled);
}

async function readStoredScores({ connection, lake, plan, scratch }: HistoryInput): Promise<void> {
  if (plan.stored.length === 0) return;
  const keys = plan.stored.map(({ prefix }) => ({ key: scoresKey(prefix) }));
  const paths = await localPaths(lake, keys, scratch);
  await execute(connection, `insert into score by name from ${parquetFiles(paths)}`);
}

async function fetchStored({ lake, plan, scratch }: HistoryInput): Promise<NamesSource[]> {
  const keys = plan.stored.map(({ prefix }) => ({ key: namesKey(prefix) }));
  const paths = await localPaths(lake, keys, scratch);
  return plan.stored.map(({ firstCycle }, index) => ({
    path: paths[index]!,
    firstCycle,
    of: 'others',
  }));
}

async function findStrays(connection: Connection): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(connection, await readSql('weekly/strays'));
  return rows.map(({ id }) => id);
}

/** Brands that came from another workspace are reduced from the raw runs of all cycles, as if nothing were stored. */
async function reduceStrays(input: HistoryInput, strays: readonly string[]): Promise<NamesSource[]> {
  if (strays.length === 0) return [];
  const { connection, plan } = input;
  await execute(connection, await readSql('weekly/stray'), { ids: textList(strays) });
  const stored = [...plan.cycles.keys()].filter((cycleNo) => !plan.unreduced.includes(cycleNo));
  return await eachBatch(batchesOf(stored), async (batch) => {
    const reduction = await reduce(input, batch, 'stray_brand');
    await finish(reduction);
    return { path: reduction.path, firstCycle: batch[0]!, of: 'strays' };
  });
}

async function reduceUnreduced(input: HistoryInput): Promise<NamesSource[]> {
  const { lake, plan, scope } = input;
  const batches = scope.keeps ? plan.unreduced.map((cycleNo) => [cycleNo]) : batchesOf(plan.unreduced);
  return await eachBatch(batches, async (batch) => {
    const [firstCycle] = batch as [number];
    const { facts, isSettled } = plan.cycles[firstCycle]!;
    const reduction = await reduce(input, batch, scope.onlyPublished ? 'reduced_brand' : null);
    const { path, connection } = reduction;
    if (scope.onlyPublished) await execute(connection, await readSql('weekly/outside-scores'));
    if (scope.keeps && isSettled)
      await store(connection, lake, `${facts}${scope.name}/`, 'from reduced_score', path);
    await finish(reduction);
    return { path, firstCycle, of: 'every brand' };
  });
}

/**
 * Cycles whose facts are not kept are reduced together, as far as they follow one another: 12 at once take half of what
 * they take alone, because a name is spelled once, and nothing has to be merged.
 */
function batchesOf(cycles: readonly number[]): number[][] {
  const batches: number[][] = [];
  for (const cycleNo of cycles) {
    if (batches.at(-1)?.at(-1) === cycleNo - 1) batches.at(-1)!.push(cycleNo);
    else batches.push([cycleNo]);
  }
  return batches;
}

/** DuckDB works on one batch while JavaScript packs the other: a fifth less time on two cores. */
const BATCHES_AT_ONCE = 2;

async function eachBatch(
  batches: readonly number[][],
  work: (batch: readonly number[]) => Promise<NamesSource>,
): Promise<NamesSource[]> {
  return await mapConcurrently(batches, work, { limit: BATCHES_AT_ONCE });
}

interface Reduction {
  /** The names file. */
  path: string;
  /** Where the runs of the cycles are the view `every_run`, and their scores the table `reduced_score`. */
  connection: Connection;
  /** What else is left of it. */
  schema: OwnSchema;
}

/**
 * DuckDB keeps the lists of a group by in memory, about as much as the bytes of the run files: 12 cycles of 500 MB needed
 * between 300 and 450 MiB. Two reductions and the window share what there is.
 */
const SLICES_IN_MEMORY = 4;

/**
 * @param batch cycles one after the other
 * @param brands a table of the brands to reduce; null: all
 */
async function reduce(
  input: HistoryInput,
  batch: readonly number[],
  brands: string | null,
): Promise<Reduction> {
  const { database, plan, runFiles, asOf, scratch } = input;
  const cycles = batch.map((cycleNo) => plan.cycles[cycleNo]!);
  const name = `${brands ?? 'all'}_${batch[0]}`;
  const schema = await ownSchema(database, `reduction_${name}`);
  const connection = await schema.connect();
  const objects = cycles.flatMap((cycle) => cycle.objects);
  const paths = await runFiles(objects);
  await viewRuns(connection, 'every_run', paths, asOf);
  const only = brands === null ? '' : `semi join ${brands} as chosen on chosen.id = every_run.brand_id`;
  await execute(connection, `create view cycle_run as from every_run ${only}`);
  const path = join(scratch, `names-${name}.bin`);
  const dates = cycles.map((cycle) => cycle.date);
  const bytes = paths.reduce((sum, file) => sum + statSync(file).size, 0);
  await reduceCycles(schema, dates, Math.ceil((bytes * SLICES_IN_MEMORY) / database.memoryBytes), path);
  return { path, connection, schema };
}

/** Adds the scores to those of all cycles, and drops the rest. */
async function finish({ connection, schema }: Reduction): Promise<void> {
  await execute(connection, 'insert into score from reduced_score');
  await schema.drop();
}
