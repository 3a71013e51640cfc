import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/failure.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { makeTable } from '../../relations.ts';
import type { OnStep } from '../compute.ts';
import { viewRuns } from '../inputs/run-files.ts';
import type { RunFiles } from '../inputs/run-files.ts';
import type { Input } from '../inputs/state.ts';
import { writeBase } from './base.ts';
import { factNames, factsVersion } from './layout.ts';
import type { FactNames } from './layout.ts';
import { mergeNames, mergeSources } from './merge/merge.ts';
import type { Slice, Source } from './merge/merge.ts';
import { BASES_KEPT, deleteOldFacts } from './old-facts.ts';
import type { Parts } from './parts.ts';
import { cyclesOf, planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import { reduceRuns, SCOPE_BRAND } from './reduce/reduce.ts';
import type { Scope } from './scope.ts';
import { deleteFact, readFact, storedKeys, storeFact } from './store.ts';

/** All cycles of a snapshot, reduced: the tables of {@link mergeSources}, and names a slice of the brands at a time. */
export interface History {
  slices: Slice[];
  /** Makes the table `slice_name`. Take every slice once, in their order. */
  take(slice: Slice): Promise<void>;
  /** Stores the base for the weeks to come, where there is a new one. Call it after the last slice. */
  keep(): Promise<void>;
}

export interface HistoryInput {
  database: Database;
  connection: Connection;
  lake: ObjectStore;
  runs: readonly Input[];
  asOf: Micros;
  scope: Scope;
  /** Reduce everything from raw runs; facts are neither read nor stored. */
  full: boolean;
  runFiles: RunFiles;
  scratch: string;
  warn?: ((message: string) => void) | undefined;
  onStep?: OnStep | undefined;
}

interface Work extends HistoryInput {
  keeps: boolean;
  plan: Plan;
  names: FactNames;
  /** The prefixes of facts that are missing or not what was stored. */
  damaged: Set<string>;
}

/** Reads what is stored and reduces the runs of all other cycles; needs the tables of tracking.sql. */
export async function openHistory(input: HistoryInput): Promise<History> {
  const { connection, scope, scratch, full, onStep } = input;
  onStep?.('read facts');
  await execute(connection, `create or replace table ${SCOPE_BRAND} as select id from brand`);
  const names = await namesOf(input);
  const [plan, stored, damaged] = await readStored(input, names);
  const work: Work = { ...input, keeps: scope.keeps && !full, plan, names, damaged };
  onStep?.('reduce');
  const sources = [...stored, ...(await reduceMoved(work, stored)), ...(await reduceUnreduced(work))];
  const inScope = scope.onlyPublished ? `brand_id in (select id from ${SCOPE_BRAND})` : 'true';
  onStep?.('merge');
  const slices = await mergeSources(connection, sources, inScope);
  const base = isBaseDue(work) ? await writeBase(connection, join(scratch, 'base')) : null;
  return {
    slices,
    async take(slice) {
      onStep?.('merge');
      await mergeNames(connection, sources, slice);
      onStep?.('write base');
      await base?.addNames();
    },
    async keep() {
      if (base === null) return;
      onStep?.('write base');
      const prefix = names.ofBase(plan.cycles.at(-1)!);
      await store(
        work,
        prefix,
        plan.cycles.map(({ date }) => date),
        base.parts,
      );
      await deleteOldFacts(input.lake, prefix);
    },
  };
}

function isBaseDue({ plan: { cycles, baseCycles }, keeps }: Work): boolean {
  return keeps && baseCycles < cycles.length && cycles.every((cycle) => cycle.isSettled);
}

async function namesOf({ connection, lake, scope, full }: HistoryInput): Promise<FactNames> {
  const [row] = await rowsOf<{ hash: string }>(
    connection,
    `select coalesce(sha256(string_agg(id::varchar, ' ' order by id)), '') as hash from ${SCOPE_BRAND}`,
  );
  const brands = scope.onlyPublished ? row!.hash.slice(0, 16) : '';
  return factNames(await factsVersion(), scope.name, brands, full ? [] : await storedKeys(lake));
}

/** Until everything that the plan names could be read. */
async function readStored(
  { lake, runs, asOf, scratch, warn }: HistoryInput,
  names: FactNames,
): Promise<[Plan, Source[], Set<string>]> {
  const cycles = cyclesOf(runs, asOf);
  const damaged = new Set<string>();
  const read = new Map<string, Parts>();
  for (;;) {
    const plan = planOf(cycles, names, damaged);
    const missing = plan.stored.find(({ prefix }) => !read.has(prefix));
    if (missing === undefined) {
      return [plan, plan.stored.map((each) => sourceOf(each, read.get(each.prefix)!)), damaged];
    }
    const { prefix, firstCycle, cycleCount } = missing;
    const dates = cycles.slice(firstCycle, firstCycle + cycleCount).map(({ date }) => date);
    try {
      read.set(prefix, await readFact(lake, prefix, dates, join(scratch, 'facts')));
    } catch (error) {
      warn?.(`${lake.url}/${prefix} cannot be used (${reasonOf(error)}): its runs are reduced again`);
      damaged.add(prefix);
    }
  }
}

/** A stored fact counts its own cycles alone. */
function sourceOf({ firstCycle }: Plan['stored'][number], parts: Parts): Source {
  return { parts, cyclesBefore: firstCycle, brands: NOT_MOVED };
}

const NOT_MOVED = 'brand_id not in (select id from moved_brand)';

/** Brands that came from another workspace are reduced from the raw runs of all cycles, as if nothing were stored. */
async function reduceMoved(work: Work, stored: readonly Source[]): Promise<Source[]> {
  const { connection, plan } = work;
  const outside = stored.flatMap(({ parts }) => parts.outside_runs);
  const rows = outside.length === 0 ? `(select null::uuid as brand_id limit 0)` : parquetFiles(outside);
  await execute(connection, `create or replace view stored_outside_run as from ${rows}`);
  await makeTable(connection, import.meta, 'moved-brand');
  const [row] = await rowsOf<{ count: number }>(
    connection,
    'select count(*)::integer as count from moved_brand',
  );
  if (row!.count === 0) return [];
  const reduced = [...plan.cycles.keys()].filter((cycleNo) => !plan.unreduced.includes(cycleNo));
  return [await reduceTogether(work, reduced, 'moved_brand')];
}

/**
 * The last cycles are reduced one by one, for facts that serve where one of them gets a late delivery; all others
 * together: a name is then read once, and nothing has to be merged.
 */
async function reduceUnreduced(work: Work): Promise<Source[]> {
  const { plan, keeps, scope } = work;
  const brands = scope.onlyPublished ? SCOPE_BRAND : null;
  const sources: Source[] = [];
  const together: number[] = [];
  for (const cycleNo of plan.unreduced) {
    const isRecent = cycleNo >= plan.cycles.length - BASES_KEPT;
    if (keeps && isRecent && plan.cycles[cycleNo]!.isSettled)
      sources.push(await reduceAndStore(work, cycleNo, brands));
    else together.push(cycleNo);
  }
  if (together.length > 0) sources.push(await reduceTogether(work, together, brands));
  return sources;
}

async function reduceTogether(work: Work, cycleNos: number[], brands: string | null): Promise<Source> {
  const parts = await reduce(work, cycleNos, cycleNos, work.plan.cycles.length, brands);
  return { parts, cyclesBefore: 0, brands: 'true' };
}

async function reduceAndStore(work: Work, cycleNo: number, brands: string | null): Promise<Source> {
  const { plan, names } = work;
  const cycle = plan.cycles[cycleNo]!;
  const parts = await reduce(work, [cycleNo], [0], 1, brands);
  await store(work, names.ofFact(cycle), [cycle.date], parts);
  return { parts, cyclesBefore: cycleNo, brands: 'true' };
}

/** The tables of a reduction take some 4 times the bytes of the run files. */
const SLICES_IN_MEMORY = 4;

async function reduce(
  { connection, database, plan, runFiles, asOf, scratch }: Work,
  cycleNos: readonly number[],
  places: readonly number[],
  cycleCount: number,
  brands: string | null,
): Promise<Parts> {
  const cycles = cycleNos.map((cycleNo) => plan.cycles[cycleNo]!);
  const paths = await runFiles(cycles.flatMap(({ objects }) => objects));
  await viewRuns(connection, 'every_run', paths, asOf);
  const bytes = paths.reduce((sum, file) => sum + statSync(file).size, 0);
  const slices = Math.ceil((bytes * SLICES_IN_MEMORY) / database.memoryBytes);
  const folder = join(scratch, `reduced-${brands ?? 'all'}-${cycleNos[0]}`);
  await mkdir(folder);
  const dates = cycles.map(({ date }) => date);
  return await reduceRuns(connection, { dates, places, cycleCount, brands, slices, folder });
}

/** What is damaged under the name makes room. */
async function store({ lake, damaged }: Work, prefix: string, cycles: string[], parts: Parts): Promise<void> {
  if (damaged.has(prefix)) await deleteFact(lake, prefix);
  await storeFact(lake, prefix, cycles, parts);
}
