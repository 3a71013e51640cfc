import { statSync } from 'node:fs';
import { execute } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { countRows, makeTable } from '../../relations.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import type { Week } from '../week.ts';
import type { OwnRuns } from '../runs/own-runs.ts';
import { viewRuns } from '../inputs/run-files.ts';
import type { RunFiles } from '../inputs/run-files.ts';
import type { BaseNames } from './layout.ts';
import type { Source } from './merge/merge.ts';
import type { Parts } from './parts.ts';
import type { Cycle, Plan } from './plan.ts';
import { reduceRuns } from './reduce/reduce.ts';
import type { Reduction } from './reduce/reduce.ts';
import type { Scope } from './scope.ts';

export interface HistoryInput extends Omit<Week, keyof AsyncDisposable> {
  scope: Scope;
  own: OwnRuns;
  runFiles: RunFiles;
  hidden: FutureRuns['hidden'];
}

export interface Work extends HistoryInput {
  plan: Plan;
  names: BaseNames;
  /** The files of the plan's base. */
  base: Parts | null;
}

const NOT_MOVED = 'brand_id not in (select id from moved_brand)';

/** The base, and what the runs that it does not have are reduced to. */
export async function reduceMissing(work: Work): Promise<Source[]> {
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
