import { statSync } from 'node:fs';
import { isSystemError, reasonOf } from '../../../lib/failure.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { countRows, makeTable } from '../../relations.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import { viewRuns } from '../inputs/run-files.ts';
import type { RunFiles } from '../inputs/run-files.ts';
import type { OwnRuns } from '../runs/own-runs.ts';
import type { Week } from '../week.ts';
import { makeCycles } from './cycle-columns.ts';
import { baseNames, basesVersion } from './layout.ts';
import type { BaseNames } from './layout.ts';
import { mergeNames, mergeSources } from './merge/merge.ts';
import type { Slice, Source } from './merge/merge.ts';
import { writeParts } from './parts.ts';
import type { Parts, PartsWriter } from './parts.ts';
import { cyclesOf, planOf } from './plan.ts';
import type { Cycle, Plan } from './plan.ts';
import { reduceRuns } from './reduce/reduce.ts';
import type { Reduction } from './reduce/reduce.ts';
import type { Scope } from './scope.ts';
import { deleteBase, deleteOldBases, readBase, storeBase, storedKeys } from './store.ts';

export interface HistoryInput extends Omit<Week, keyof AsyncDisposable> {
  scope: Scope;
  own: OwnRuns;
  runFiles: RunFiles;
  hidden: FutureRuns['hidden'];
}

interface Work extends HistoryInput {
  plan: Plan;
  names: BaseNames;
  /** The files of the plan's base. */
  base: Parts | null;
}

/** All cycles of a snapshot, reduced: the tables of {@link mergeSources}, and names a slice of the brands at a time. */
export interface History {
  slices: Slice[];
  /** The cycles of a base of all brands: the runs of objects that are not read count in it too. */
  wholeCycles: ReadonlySet<string>;
  /** Makes the table `slice_name`. Take every slice once, in their order. */
  take(slice: Slice): Promise<void>;
  /** Stores the base for later weeks, if there is a new one. Call it after the last slice. */
  keep(): Promise<void>;
}

/** Reads a base and reduces the runs of all later cycles; needs the table `brand`. */
export async function openHistory(input: HistoryInput): Promise<History> {
  const { connection, scope, onStep } = input;
  onStep?.('read base');
  const work = await readStored(input);
  onStep?.('reduce');
  const sources = await reduceMissing(work);
  onStep?.('merge');
  await makeCycles(connection, 'history_cycle', datesOf(work.plan.cycles), 0);
  const slices = await mergeSources(connection, sources, scope.onlyPublished);
  const base = isBaseDue(work) ? await writeBase(work) : null;
  const { cycles, baseCycles } = work.plan;
  return {
    slices,
    wholeCycles: new Set(work.plan.base?.isOfAll === true ? datesOf(cycles.slice(0, baseCycles)) : []),
    async take(slice) {
      onStep?.('merge');
      await mergeNames(connection, sources, slice);
      onStep?.('write base');
      await base?.add('names', 'from slice_name order by series_no, spelling_no');
    },
    async keep() {
      if (base === null) return;
      onStep?.('write base');
      await keepBase(work, base.parts);
    },
  };
}

function isBaseDue({ plan: { cycles, baseCycles }, scope }: Work): boolean {
  return scope.stores && baseCycles < cycles.length && cycles.every((cycle) => cycle.isSettled);
}

/** Writes the merged history without its names, which come a slice at a time. */
async function writeBase({ connection, scratch }: Work): Promise<PartsWriter> {
  const base = await writeParts(connection, scratch);
  await base.add('scores', 'from score order by brand_id, engine, cycle_date');
  await base.add('models', 'from model order by brand_id, engine, cycle_date, model');
  await base.add('outside_runs', 'from outside_run order by brand_id, cycle_date');
  await base.add('series', 'select * exclude (brand_no) from history_series order by series_no');
  await base.add('results', 'from history_result order by series_no, cycle_date');
  await base.add('evidence', 'from history_evidence order by series_no, ran_at, id');
  await base.add('spellings', 'select * exclude (brand_no) from history_spelling order by spelling_no');
  return base;
}

/** What is damaged under the name is deleted first. */
async function keepBase({ lake, names, plan: { cycles } }: Work, parts: Parts): Promise<void> {
  const prefix = names.prefixOf(cycles.at(-1)!);
  if (names.damaged.has(prefix)) await deleteBase(lake, prefix);
  await storeBase(lake, prefix, datesOf(cycles), parts);
  await deleteOldBases(lake, prefix);
}

function datesOf(cycles: readonly Cycle[]): string[] {
  return cycles.map(({ date }) => date);
}

async function namesOf({ connection, lake, scope }: HistoryInput): Promise<BaseNames> {
  const [row] = await rowsOf<{ hash: string }>(
    connection,
    "select coalesce(sha256(string_agg(id::varchar, ' ' order by id)), '') as hash from brand",
  );
  const brands = scope.onlyPublished ? row!.hash.slice(0, 16) : '';
  return baseNames(await basesVersion(), scope.name, brands, scope.reads ? await storedKeys(lake) : []);
}

/** Plans again until the base that the plan names could be read. */
async function readStored(input: HistoryInput): Promise<Work> {
  const { lake, state, own, asOf, scratch, warn, hidden } = input;
  const names = await namesOf(input);
  const cycles = cyclesOf(state.runs, own.read, asOf, hidden);
  for (;;) {
    const plan = planOf(cycles, names);
    if (plan.base === null) return { ...input, plan, names, base: null };
    const { prefix } = plan.base;
    try {
      const dates = datesOf(cycles.slice(0, plan.baseCycles));
      return { ...input, plan, names, base: await readBase(lake, prefix, dates, scratch) };
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOSPC') throw error; // the scratch folder's disk, not the base
      warn?.(`${lake.url}/${prefix} cannot be used (${reasonOf(error)}): its runs are reduced again`);
      names.damaged.add(prefix);
    }
  }
}

const NOT_MOVED = 'brand_id not in (select id from moved_brand)';

/** The base, and what the runs that it does not have are reduced to. */
async function reduceMissing(work: Work): Promise<Source[]> {
  const { plan, base, scope } = work;
  const brands = scope.onlyPublished ? 'brand' : null;
  if (base === null) return [await reduce(work, plan.cycles, 0, brands)];
  const moved = await reduceMoved(work, base);
  const sources = [{ parts: base, brands: NOT_MOVED }, ...moved];
  if (plan.baseCycles < plan.cycles.length)
    sources.push(await reduce(work, plan.cycles.slice(plan.baseCycles), plan.baseCycles, brands));
  return sources;
}

/** Brands that came from another workspace are reduced from the raw runs of the base's cycles, as if it were not there. */
async function reduceMoved(work: Work, base: Parts): Promise<Source[]> {
  const { connection, plan } = work;
  const outside = parquetFiles(base.outside_runs);
  await execute(connection, `create or replace view stored_outside_run as from ${outside}`);
  await makeTable(connection, import.meta, 'moved-brand');
  if ((await countRows(connection, 'moved_brand')) === 0) return [];
  return [await reduce(work, plan.cycles.slice(0, plan.baseCycles), 0, 'moved_brand')];
}

/** The tables of a reduction take some 4 times the bytes of the run files. */
const SLICES_IN_MEMORY = 4;

/** @param first the number of the first of these cycles, which are consecutive */
async function reduce(
  { connection, database, runFiles, asOf, scratch }: Work,
  cycles: readonly Cycle[],
  first: number,
  brands: Reduction['brands'],
): Promise<Source> {
  const paths = await runFiles(cycles.flatMap(({ objects }) => objects));
  await viewRuns(connection, 'every_run', paths, asOf);
  const bytes = paths.reduce((sum, file) => sum + statSync(file).size, 0);
  const parts = await reduceRuns(connection, {
    dates: cycles.map(({ date }) => date),
    first,
    brands,
    slices: Math.ceil((bytes * SLICES_IN_MEMORY) / database.memoryBytes),
    scratch,
  });
  return { parts, brands: 'true' };
}
