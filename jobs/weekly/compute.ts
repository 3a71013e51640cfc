import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology.ts';
import { makeScratch } from '../../lib/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { openHistory } from './facts/history.ts';
import type { History } from './facts/history.ts';
import { storedFacts } from './facts/keep.ts';
import { cyclesOf, planOf } from './facts/plan.ts';
import type { Scope } from './facts/scope.ts';
import { measureCompleteness, newestCycle } from './completeness.ts';
import type { Completeness } from './completeness.ts';
import { countOrphans } from './orphans.ts';
import type { Orphaned } from './orphans.ts';
import { runFiles } from './run-files.ts';
import type { RunFiles } from './run-files.ts';
import { snapshotsOf } from './snapshots.ts';
import type { WorkspaceSnapshot } from './snapshots.ts';
import { inputsOf, loadTracking } from './state.ts';
import type { State } from './state.ts';
import { startStability } from './stability-threads.ts';
import { together } from './together.ts';
import { loadWindow } from './window.ts';

/** A snapshot to be computed: from which objects of the lake, as of when. */
export interface Computation {
  lake: ObjectStore;
  state: State;
  asOf: Micros;
  /** Which of the tracked workspaces, given in order, are to be published. */
  select(tracked: readonly string[]): readonly string[];
  scope: Scope;
  /** Reduce everything from raw runs; facts are neither read nor stored. */
  full: boolean;
  threads?: number | undefined;
  /** Ends the computation with an error. */
  signal?: AbortSignal | undefined;
}

/** What is computed: each workspace's snapshot in turn, so that memory does not grow with their number. */
export interface Computed {
  workspaces: readonly string[];
  orphaned: Orphaned;
  completeness: Completeness;
  snapshots: AsyncIterable<WorkspaceSnapshot>;
}

/** Computes snapshots and hands them to `use`; the database lives as long as that takes. */
export async function compute<T>(
  computation: Computation,
  use: (computed: Computed) => Promise<T>,
): Promise<T> {
  const { lake, state, asOf, threads, signal } = computation;
  const scratch = await makeScratch('weekly');
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
    const files = runFiles(lake, scratch);
    const [history] = await together([
      readHistory(database, connection, computation, files, scratch),
      loadWindow(await database.connect(), state.runs, asOf, files),
    ]);
    const stability = startStability(history.names, history.basePath, threads ?? usualThreads());
    try {
      const origin = {
        asOf: formatInstantExactly(asOf),
        methodologyVersion: METHODOLOGY_VERSION,
        codeVersion: VERSION,
        duckdbVersion: duckdbVersion(),
        inputs: inputsOf(state),
      };
      const orphaned = await countOrphans(connection);
      const completeness = await measureCompleteness(connection, newestCycle(state.runs, asOf));
      const snapshots = snapshotsOf(database, stability, workspaces, origin, completeness);
      const used = await use({ workspaces, orphaned, completeness, snapshots });
      await stability.finish();
      await history.keep();
      return used;
    } finally {
      await stability.close();
    }
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** One for each core, as DuckDB has them, up to four: beyond that this thread is what they wait for. */
function usualThreads(): number {
  return Math.min(4, availableParallelism());
}

async function readHistory(
  database: Database,
  connection: Connection,
  { lake, state, asOf, full, scope: { keeps, ...brands } }: Computation,
  files: RunFiles,
  scratch: string,
): Promise<History> {
  const scope = { ...brands, keeps: keeps && !full };
  const stored = full ? new Set<string>() : await storedFacts(lake);
  const plan = planOf(cyclesOf(state.runs, asOf), stored, scope.name);
  return await openHistory({ database, connection, lake, plan, scope, runFiles: files, asOf, scratch });
}

async function trackedWorkspaces(connection: Connection): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    connection,
    'select distinct id::varchar as id from tracked_workspaces order by id',
  );
  return rows.map((row) => row.id);
}
