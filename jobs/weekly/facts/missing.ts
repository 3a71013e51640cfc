import { statSync } from 'node:fs';
import { execute } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { countRows, makeTable } from '../../relations.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import type { Week } from '../compute.ts';
import { viewRuns } from '../inputs/run-files.ts';
import type { RunFiles } from '../inputs/run-files.ts';
import type { FactNames } from './layout.ts';
import type { Source } from './merge/merge.ts';
import { BASES_KEPT } from './old-facts.ts';
import type { Parts } from './parts.ts';
import type { Cycle, Plan } from './plan.ts';
import { reduceRuns } from './reduce/reduce.ts';
import type { Reduction } from './reduce/reduce.ts';
import type { Scope } from './scope.ts';
import { deleteFact, storeFact } from './store.ts';

export interface HistoryInput extends Omit<Week, keyof AsyncDisposable> {
  scope: Scope;
  runFiles: RunFiles;
  hidden: FutureRuns['hidden'];
}

export interface Work extends HistoryInput {
  plan: Plan;
  names: FactNames;
}

/** Reduces the runs of what cannot be read from the lake, and stores new facts. */
export async function reduceMissing(work: Work, stored: readonly Source[]): Promise<Source[]> {
  return [...(await reduceMoved(work, stored)), ...(await reduceUnreduced(work))];
}

/** Brands that came from another workspace are reduced from the raw runs of all cycles, as if nothing were stored. */
async function reduceMoved(work: Work, stored: readonly Source[]): Promise<Source[]> {
  if (stored.length === 0) return [];
  const { connection, plan } = work;
  const outside = parquetFiles(stored.flatMap(({ parts }) => parts.outside_runs));
  await execute(connection, `create or replace view stored_outside_run as from ${outside}`);
  await makeTable(connection, import.meta, 'moved-brand');
  if ((await countRows(connection, 'moved_brand')) === 0) return [];
  const reduced = [...plan.cycles.keys()].filter((cycleNo) => !plan.unreduced.includes(cycleNo));
  return [await reduce(work, reduced, 'moved_brand')];
}

/**
 * The last cycles are reduced one by one, for facts that serve if one of them gets a late delivery; all others
 * together: a name is then read once, and nothing has to be merged.
 */
async function reduceUnreduced(work: Work): Promise<Source[]> {
  const { plan, names, scope } = work;
  const brands = scope.onlyPublished ? 'brand' : null;
  const isStored = (cycleNo: number) =>
    scope.stores && cycleNo >= plan.cycles.length - BASES_KEPT && plan.cycles[cycleNo]!.isSettled;
  const sources: Source[] = [];
  for (const cycleNo of plan.unreduced.filter(isStored)) {
    const cycle = plan.cycles[cycleNo]!;
    const source = await reduce(work, [cycleNo], brands, cycleNo);
    await storeParts(work, names.ofFact(cycle), [cycle], source.parts);
    sources.push(source);
  }
  const others = plan.unreduced.filter((cycleNo) => !isStored(cycleNo));
  // A lake without runs is reduced too: then all relations are empty.
  if (others.length > 0 || plan.cycles.length === 0) sources.push(await reduce(work, others, brands));
  return sources;
}

/** The tables of a reduction take some 4 times the bytes of the run files. */
const SLICES_IN_MEMORY = 4;

async function reduce(
  { connection, database, plan, runFiles, asOf, scratch }: Work,
  cycleNos: readonly number[],
  brands: Reduction['brands'],
  cyclesBefore = 0,
): Promise<Source> {
  const cycles = cycleNos.map((cycleNo) => plan.cycles[cycleNo]!);
  const paths = await runFiles(cycles.flatMap(({ objects }) => objects));
  await viewRuns(connection, 'every_run', paths, asOf);
  const bytes = paths.reduce((sum, file) => sum + statSync(file).size, 0);
  const parts = await reduceRuns(connection, {
    dates: cycles.map(({ date }) => date),
    places: cycleNos.map((cycleNo) => cycleNo - cyclesBefore),
    brands,
    slices: Math.ceil((bytes * SLICES_IN_MEMORY) / database.memoryBytes),
    scratch,
  });
  return { parts, cyclesBefore, brands: 'true' };
}

/** What is damaged under the name is deleted first. */
export async function storeParts(
  { lake, names }: Work,
  prefix: string,
  cycles: Cycle[],
  parts: Parts,
): Promise<void> {
  if (names.damaged.has(prefix)) await deleteFact(lake, prefix);
  const dates = cycles.map(({ date }) => date);
  await storeFact(lake, prefix, dates, parts);
}
