import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology.ts';
import { makeScratch } from '../../lib/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf, textList } from '../duckdb.ts';
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
import type { WorkspaceResult } from './snapshots.ts';
import { inputsOf, loadTracking } from './state.ts';
import type { State } from './state.ts';
import { startStability } from './stability-threads.ts';
import { loadWindow } from './window.ts';

/** What a week is computed from. */
export interface WeekInput {
  lake: ObjectStore;
  /** The objects of the lake. */
  state: State;
  asOf: Micros;
  threads?: number | undefined;
  /** Once it is aborted, every query throws. */
  signal?: AbortSignal | undefined;
}

/** A database with the tracking state of a week. Disposing it closes the database and removes its files. */
export interface Week extends WeekInput, AsyncDisposable {
  scratch: string;
  database: Database;
  connection: Connection;
  /** Ids of the tracked workspaces, ascending. */
  tracked: string[];
}

export async function openWeek(input: WeekInput): Promise<Week> {
  const { lake, state, threads, signal } = input;
  await using opened = new AsyncDisposableStack();
  const scratch = await makeScratch('weekly');
  opened.defer(async () => await rm(scratch, { recursive: true, force: true }));
  const database = await openDatabase({ scratch, signal, ...(threads === undefined ? {} : { threads }) });
  opened.defer(() => database.close());
  const connection = await database.connect();
  await execute(connection, await readSql('macros'));
  await loadTracking(connection, lake, state, scratch);
  const tracked = await trackedWorkspaces(connection);
  const all = opened.move();
  return {
    ...input,
    scratch,
    database,
    connection,
    tracked,
    [Symbol.asyncDispose]: async () => await all.disposeAsync(),
  };
}

/** What is computed for the workspaces of a run. */
export interface Computed extends AsyncDisposable {
  orphaned: Orphaned;
  completeness: Completeness;
  /** Each workspace in turn, so that memory does not grow with their number. */
  snapshots(): AsyncGenerator<WorkspaceResult>;
  /** Stores the facts for later weeks; call it after all snapshots. */
  keepFacts(): Promise<void>;
}

/**
 * @param workspaces ids in ascending order; one that is not tracked gets a snapshot without brands
 * @param options.full reduce everything from raw runs; facts are neither read nor stored
 */
export async function computeWorkspaces(
  week: Week,
  workspaces: readonly string[],
  { scope, full }: { scope: Scope; full: boolean },
): Promise<Computed> {
  const { lake, scratch, database, connection, state, asOf } = week;
  await execute(
    connection,
    'create table published_workspace as select unnest($ids::varchar[])::uuid as id',
    { ids: textList(workspaces) },
  );
  await execute(connection, await readSql('weekly/tracking'));
  const files = runFiles(lake, scratch);
  await loadWindow(connection, state.runs, asOf, files);
  const history = await readHistory(week, files, scope, full);
  await using opened = new AsyncDisposableStack();
  const stability = startStability(history.names, history.basePath, week.threads ?? usualThreads());
  opened.defer(async () => await stability.close());
  const orphaned = await countOrphans(connection);
  const completeness = await measureCompleteness(connection, newestCycle(state.runs, asOf), asOf);
  const all = opened.move();
  return {
    orphaned,
    completeness,
    snapshots: () => snapshotsOf(database, stability, workspaces, originOf(week), completeness),
    async keepFacts() {
      await stability.finish();
      await history.keep();
    },
    [Symbol.asyncDispose]: async () => await all.disposeAsync(),
  };
}

function originOf({ asOf, state }: WeekInput) {
  return {
    asOf: formatInstantExactly(asOf),
    methodologyVersion: METHODOLOGY_VERSION,
    codeVersion: VERSION,
    duckdbVersion: duckdbVersion(),
    inputs: inputsOf(state),
  };
}

/** One for each core, as DuckDB has them, up to four: beyond that this thread is what they wait for. */
function usualThreads(): number {
  return Math.min(4, availableParallelism());
}

async function readHistory(
  { lake, state, asOf, database, connection, scratch }: Week,
  files: RunFiles,
  { keeps, ...brands }: Scope,
  full: boolean,
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
