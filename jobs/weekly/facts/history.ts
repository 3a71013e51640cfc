import { isSystemError, reasonOf } from '../../../lib/failure.ts';
import { rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { makeTableOf } from '../../relations.ts';
import { cycleColumns } from './cycle-columns.ts';
import { factNames, factsVersion } from './layout.ts';
import type { FactNames } from './layout.ts';
import { mergeNames, mergeSources } from './merge/merge.ts';
import type { Slice, Source } from './merge/merge.ts';
import { reduceMissing, storeParts } from './missing.ts';
import type { HistoryInput, Work } from './missing.ts';
import { deleteOldFacts } from './old-facts.ts';
import { writeParts } from './parts.ts';
import type { PartsWriter } from './parts.ts';
import { cyclesOf, planOf } from './plan.ts';
import type { Cycle } from './plan.ts';
import { readFact, storedKeys } from './store.ts';

/** All cycles of a snapshot, reduced: the tables of {@link mergeSources}, and names a slice of the brands at a time. */
export interface History {
  slices: Slice[];
  /** Makes the table `slice_name`. Take every slice once, in their order. */
  take(slice: Slice): Promise<void>;
  /** Stores the base for later weeks, if there is a new one. Call it after the last slice. */
  keep(): Promise<void>;
}

/** Reads what is stored and reduces the runs of all other cycles; needs the table `brand`. */
export async function openHistory(input: HistoryInput): Promise<History> {
  const { connection, lake, scope, onStep } = input;
  onStep?.('read facts');
  const [work, stored] = await readStored(input);
  onStep?.('reduce');
  const sources = [...stored, ...(await reduceMissing(work, stored))];
  onStep?.('merge');
  await makeCycles(connection, work.plan.cycles);
  const slices = await mergeSources(connection, sources, scope.onlyPublished);
  const base = isBaseDue(work) ? await writeBase(work) : null;
  return {
    slices,
    async take(slice) {
      onStep?.('merge');
      await mergeNames(connection, sources, slice);
      onStep?.('write base');
      await base?.add('names', 'from slice_name order by series_no, spelling_no');
    },
    async keep() {
      if (base === null) return;
      onStep?.('write base');
      const { cycles } = work.plan;
      const prefix = work.names.ofBase(cycles.at(-1)!);
      await storeParts(work, prefix, cycles, base.parts);
      await deleteOldFacts(lake, prefix);
    },
  };
}

/** The table `history_cycle`: the date of each cycle, and its bit in the columns `cycles_*`, which are in their order. */
async function makeCycles(connection: Connection, cycles: readonly Cycle[]): Promise<void> {
  const dates = { cycle_date: { type: 'date' as const, values: cycles.map(({ date }) => date) } };
  await makeTableOf(connection, 'history_cycle', { ...dates, ...cycleColumns([...cycles.keys()]) });
}

function isBaseDue({ plan: { cycles, baseCycles }, scope }: Work): boolean {
  return scope.stores && baseCycles < cycles.length && cycles.every((cycle) => cycle.isSettled);
}

/** Writes the merged history as a fact of all its cycles, without its names. */
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

async function namesOf({ connection, lake, scope }: HistoryInput): Promise<FactNames> {
  const [row] = await rowsOf<{ hash: string }>(
    connection,
    "select coalesce(sha256(string_agg(id::varchar, ' ' order by id)), '') as hash from brand",
  );
  const brands = scope.onlyPublished ? row!.hash.slice(0, 16) : '';
  return factNames(await factsVersion(), scope.name, brands, scope.reads ? await storedKeys(lake) : []);
}

const NOT_MOVED = 'brand_id not in (select id from moved_brand)';

/** Plans again until everything that the plan names could be read. */
async function readStored(input: HistoryInput): Promise<[Work, Source[]]> {
  const { lake, state, asOf, scratch, warn, hidden } = input;
  const names = await namesOf(input);
  const cycles = cyclesOf(state.runs, asOf, hidden);
  const read = new Map<string, Source>();
  for (;;) {
    const plan = planOf(cycles, names);
    const missing = plan.stored.find(({ prefix }) => !read.has(prefix));
    if (missing === undefined)
      return [{ ...input, plan, names }, plan.stored.map(({ prefix }) => read.get(prefix)!)];
    const { prefix, cyclesBefore } = missing;
    try {
      const parts = await readFact(lake, prefix, missing.cycles, scratch);
      read.set(prefix, { parts, cyclesBefore, brands: NOT_MOVED });
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOSPC') throw error; // the scratch folder's disk, not the fact
      warn?.(`${lake.url}/${prefix} cannot be used (${reasonOf(error)}): its runs are reduced again`);
      names.damaged.add(prefix);
    }
  }
}
