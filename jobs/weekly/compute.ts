import { measureCompleteness } from './checks/completeness.ts';
import type { Completeness } from './checks/completeness.ts';
import { countFutureRuns } from './checks/future-runs.ts';
import { countOrphans } from './checks/orphans.ts';
import type { Orphaned } from './checks/orphans.ts';
import { findOwnRuns } from './inputs/own-runs.ts';
import { runFiles } from './inputs/run-files.ts';
import { snapshotsOf } from './snapshots.ts';
import type { WorkspaceResult } from './snapshots.ts';
import { choosePublished } from './inputs/state.ts';
import { openSlices } from './slices/slices.ts';
import type { Week } from './week.ts';

/** What is computed for the workspaces of a run. */
export interface Computed {
  orphaned: Orphaned;
  /** Runs of more than a day after the snapshot. */
  futureRuns: number;
  completeness: Completeness;
  /** One workspace after the other, in the order of their places, so that memory does not grow with their number. */
  snapshots: AsyncIterable<WorkspaceResult>;
}

/** @param workspaces ids; one that is not tracked gets a snapshot without brands */
export async function computeWorkspaces(week: Week, workspaces: readonly string[]): Promise<Computed> {
  const { lake, scratch, connection, state, asOf } = week;
  const ordered = await choosePublished(connection, workspaces, asOf);
  const files = runFiles(lake, scratch);
  const own = await findOwnRuns(connection, week);
  const slices = await openSlices(week, own, files);
  const futureRuns = await countFutureRuns(connection, state.future, asOf, files);
  const orphaned = await countOrphans(connection);
  const completeness = await measureCompleteness(connection, state.newestCycle, asOf);
  const snapshots = snapshotsOf(week, slices, own, ordered, completeness);
  return { orphaned, futureRuns, completeness, snapshots };
}
