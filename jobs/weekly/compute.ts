import type { Micros } from '../../lib/methodology/instant.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { makeMacros } from '../relations.ts';
import { openHistory } from './history/history.ts';
import { baseScope } from './history/scope.ts';
import type { ScopeOptions } from './history/scope.ts';
import { measureCompleteness } from './checks/completeness.ts';
import type { Completeness } from './checks/completeness.ts';
import { findFutureRuns } from './checks/future-runs.ts';
import { countOrphans } from './checks/orphans.ts';
import type { Orphaned } from './checks/orphans.ts';
import { findOwnRuns } from './runs/own-runs.ts';
import { runFiles } from './inputs/run-files.ts';
import { snapshotsOf } from './snapshots.ts';
import type { WorkspaceResult } from './snapshots.ts';
import { choosePublished, loadTracking, trackedWorkspaces } from './inputs/state.ts';
import type { State } from './inputs/state.ts';
import { loadWindow } from './inputs/window.ts';

/** What a week is computed from. */
export interface WeekInput {
  lake: ObjectStore;
  /** The objects of the lake. */
  state: State;
  asOf: Micros;
  threads?: number | undefined;
  /** Is called with a line on a stored base that cannot be used. */
  warn?: ((message: string) => void) | undefined;
  /** Once it is aborted, every query throws. */
  signal?: AbortSignal | undefined;
  onStep?: OnStep | undefined;
}

/** Is called with the name of a step as it begins; the one before has ended. The benchmark measures by it. */
export type OnStep = (step: string) => void;

/** A database with the tracking state of a week. Disposing it closes the database and removes its files. */
export interface Week extends WeekInput, AsyncDisposable {
  scratch: string;
  database: Database;
  connection: Connection;
  /** The names of the tracked workspaces by id, ascending. */
  tracked: ReadonlyMap<string, string>;
}

export async function openWeek(input: WeekInput): Promise<Week> {
  const { lake, state, threads, signal } = input;
  await using opened = new AsyncDisposableStack();
  const { path: scratch } = opened.use(await makeScratch('weekly'));
  const database = opened.use(await openDatabase({ scratch, signal, threads }));
  const connection = await database.connect();
  await makeMacros(connection);
  input.onStep?.('read tracking');
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
export interface Computed {
  orphaned: Orphaned;
  /** Runs of more than a day after the snapshot. */
  futureRuns: number;
  completeness: Completeness;
  /** One workspace after the other, so that memory does not grow with their number. */
  snapshots: AsyncIterable<WorkspaceResult>;
  /** Stores the base for later weeks; call it after all snapshots. */
  keepBase(): Promise<void>;
}

/** @param workspaces ids in ascending order; one that is not tracked gets a snapshot without brands */
export async function computeWorkspaces(
  week: Week,
  workspaces: readonly string[],
  options: ScopeOptions,
): Promise<Computed> {
  const { lake, scratch, connection, state, asOf, onStep } = week;
  await choosePublished(connection, workspaces, asOf);
  const files = runFiles(lake, scratch);
  onStep?.('read window');
  const { workspaces: only, shard } = options;
  const own = await findOwnRuns(connection, week, only === undefined && shard === undefined);
  await loadWindow(connection, own.read, state.newestCycle, asOf, files);
  const future = await findFutureRuns(connection, state.future, asOf, files);
  const scope = baseScope(options);
  const history = await openHistory({ ...week, scope, own, runFiles: files, hidden: future.hidden });
  onStep?.('check');
  const uncounted = own.unread.filter(
    ({ cycleDate, ranFrom }) => BigInt(ranFrom) <= asOf && !history.wholeCycles.has(cycleDate),
  );
  const orphaned = await countOrphans(connection, uncounted);
  const completeness = await measureCompleteness(connection, state.newestCycle, asOf);
  const snapshots = snapshotsOf(week, history, own, workspaces, completeness);
  return {
    orphaned,
    futureRuns: future.runs,
    completeness,
    snapshots,
    keepBase: async () => await history.keep(),
  };
}
