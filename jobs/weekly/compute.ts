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
import { choosePublished } from './inputs/state.ts';
import { loadWindow } from './inputs/window.ts';
import type { Week } from './week.ts';

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
  await loadWindow(connection, own.read, asOf, files);
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
