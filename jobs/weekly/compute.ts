import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentKinds } from '../../lib/documents/index.ts';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION, WINDOW_DAYS, engineSlugs, webGrounded } from '../../lib/methodology.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf, textList } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { keepBase, keepFacts, storedFacts } from './facts/keep.ts';
import { loadHistory, nameSeries } from './facts/load.ts';
import { cyclesOf, planOf } from './facts/plan.ts';
import { inNewestWeek, measureCompleteness, newestCycle } from './completeness.ts';
import type { Completeness } from './completeness.ts';
import { brandDocument, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import { inputsOf, loadRuns, loadTracking } from './state.ts';
import type { State } from './state.ts';

/** A snapshot to be computed: from which objects of the lake, as of when. */
export interface Computation {
  lake: ObjectStore;
  state: State;
  asOf: Micros;
  /** Which of the tracked workspaces, given in order, are to be published. */
  select(tracked: readonly string[]): readonly string[];
  /** `use`: start from stored facts and store new ones; `ignore`: reduce everything from raw runs. */
  facts: 'use' | 'ignore';
  threads?: number | undefined;
  /** Ends the computation with an error. */
  signal?: AbortSignal | undefined;
}

/** What is computed: each workspace's snapshot in turn, so that memory does not grow with their number. */
export interface Computed {
  workspaces: readonly string[];
  orphaned: Orphaned;
  completeness: Completeness;
  snapshots: AsyncIterable<{ brands: number; publication: Publication }>;
}

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export type Orphaned = Record<'runs' | 'prompts' | 'competitors' | 'brands', number>;

/** Computes snapshots and hands them to `use`; the database lives as long as that takes. */
export async function compute<T>(
  computation: Computation,
  use: (computed: Computed) => Promise<T>,
): Promise<T> {
  const { lake, state, asOf, threads, signal } = computation;
  const scratch = await mkdtemp(join(tmpdir(), 'sightline-weekly-'));
  const database = await openDatabase({ scratch, signal, ...(threads === undefined ? {} : { threads }) });
  try {
    const connection = await database.connect();
    await execute(connection, await readSql('macros'));
    await loadTracking(connection, lake, state, scratch);
    const workspaces = computation.select(await trackedWorkspaces(connection));
    await execute(connection, 'create table published_workspace (id uuid)');
    for (const id of workspaces)
      await execute(connection, 'insert into published_workspace values ($id::uuid)', { id });
    await execute(connection, await readSql('weekly/tracking'));
    await reduce(connection, computation, scratch);
    const origin = {
      asOf: formatInstantExactly(asOf),
      methodologyVersion: METHODOLOGY_VERSION,
      codeVersion: VERSION,
      duckdbVersion: duckdbVersion(),
      inputs: inputsOf(state),
    };
    const orphaned = await countOrphans(connection);
    const completeness = await measureCompleteness(connection, newestCycle(state.runs, asOf));
    const snapshots = snapshotsOf(database, workspaces, origin, completeness);
    return await use({ workspaces, orphaned, completeness, snapshots });
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function reduce(
  connection: Connection,
  { lake, state, asOf, facts }: Computation,
  scratch: string,
): Promise<void> {
  const cycles = cyclesOf(state.runs, asOf);
  const stored = planOf(cycles, facts === 'use' ? await storedFacts(lake) : new Set());
  const windowStart = asOf - BigInt(WINDOW_DAYS) * MICROS_PER_DAY;
  const newest = newestCycle(state.runs, asOf);
  const inWindow = state.runs.filter(
    ({ ranTo, cycleDate }) =>
      ranTo === undefined || BigInt(ranTo) > windowStart || inNewestWeek(cycleDate, newest),
  );
  const objects = new Set([...stored.unreduced.flatMap((cycle) => cycle.objects), ...inWindow]);
  await loadRuns(connection, lake, [...objects], asOf, scratch);
  const plan = facts === 'use' ? await keepFacts(connection, lake, stored, scratch) : stored;
  await loadHistory(connection, lake, plan, scratch);
  await nameSeries(connection, plan);
  await execute(connection, await readSql('weekly/window'), {
    as_of: asOf,
    window_days: WINDOW_DAYS,
    web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
  });
  if (facts === 'use') await keepBase(connection, lake, plan, scratch);
}

const MICROS_PER_DAY = 86_400_000_000n;

async function trackedWorkspaces(connection: Connection): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    connection,
    'select distinct id::varchar as id from tracked_workspaces order by id',
  );
  return rows.map((row) => row.id);
}

async function* snapshotsOf(
  database: Database,
  workspaces: readonly string[],
  origin: Omit<Publication, 'workspaceId' | 'documents'>,
  { byWorkspace }: Completeness,
): AsyncGenerator<{ brands: number; publication: Publication }> {
  const opened = await openBrands(database);
  try {
    let next = await opened.next();
    for (const workspaceId of workspaces) {
      const brands: BrandRow[] = [];
      const documents: PublishedDocument[] = [];
      for (; next !== null && next.brand.workspace_id === workspaceId; next = await opened.next()) {
        const rows = next;
        brands.push(rows.brand);
        documents.push(...documentKinds.map((kind) => brandDocument(kind, rows)));
      }
      const completeness = byWorkspace.get(workspaceId) ?? null;
      const publication = {
        ...origin,
        workspaceId,
        completeness,
        documents: [brandsDocument(brands), ...documents],
      };
      yield { brands: brands.length, publication };
    }
  } finally {
    opened.close();
  }
}

async function countOrphans(connection: Connection): Promise<Orphaned> {
  const [row] = await rowsOf<Record<keyof Orphaned, bigint>>(connection, await readSql('weekly/orphans'));
  const { runs, prompts, competitors, brands } = row!;
  return {
    runs: Number(runs),
    prompts: Number(prompts),
    competitors: Number(competitors),
    brands: Number(brands),
  };
}
