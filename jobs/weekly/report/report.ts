import type { Clock } from '../../../lib/clock.ts';
import { formatInstantExactly } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { compareText } from '../../../lib/methodology/text.ts';
import { isTooOld, percentOf } from '../checks/completeness.ts';
import type { Missing, WorkspaceCompleteness } from '../checks/completeness.ts';
import type { EngineShift } from '../checks/engine-shifts.ts';
import type { MeasurementChange } from '../checks/measurement.ts';
import type { Orphaned } from '../checks/orphans.ts';
import type { Computed } from '../compute.ts';
import type { Shard } from '../shard.ts';
import type { Outcome, Unpublished } from './outcome.ts';

/** When a run ended, and the instant that it was for: the as-of time of the snapshots. */
export interface RunEnd {
  due: string;
  finishedAt: string;
  seconds: number;
  host: string;
}

/** @param run its start in milliseconds */
export function endOf(run: { due: string; startedAt: number; host: string }, clock: Clock): RunEnd {
  const now = clock.now();
  const { due, startedAt, host } = run;
  return { due, finishedAt: new Date(now).toISOString(), seconds: (now - startedAt) / 1000, host };
}

/** The sums of the workspaces of a run. */
export interface CompletenessReport {
  /** The newest cycle of the whole lake: the week that the data is from; null if nothing ran. */
  newestCycle: string | null;
  expected: number;
  delivered: number;
  percent: number | null;
  workspaces: WorkspaceCompleteness[];
  missing: Missing[];
}

/** What a weekly run did. */
export interface WeeklyReport {
  asOf: string;
  workspaces: number;
  brands: number;
  documents: number;
  bytes: number;
  /** Workspaces that got a new snapshot, and those that had this very snapshot before. */
  new: number;
  unchanged: number;
  /** Workspaces that kept a snapshot as of later. */
  newer: number;
  /** The deliveries that the lake had, and the runs that ingest refused in all of them. */
  deliveries: number;
  refused: number;
  orphaned: Orphaned;
  /** Runs of more than a day after `asOf`: not in the snapshots, a clock of the tracker was wrong. */
  futureRuns: number;
  completeness: CompletenessReport;
  /** Engines that were measured otherwise than in the week before, ascending by workspace. */
  measurement: MeasurementChange[];
  /** How each engine moved for all brands together, by engine. */
  engineShifts: EngineShift[];
  /** The part of the workspaces that it is about; null: all, or those that were named. */
  shard: Shard | null;
  /** Ascending by workspace id. */
  snapshots: { workspaceId: string; snapshotId: string; isNew: boolean }[];
  /** Workspaces that were not published, ascending by id; without those of `newer` and `keptStale`. */
  unpublished: Unpublished[];
  /** Ids of workspaces that keep their snapshot because their tracker is silent, which no retry can help. */
  keptStale: string[];
}

/** A run that ended; without a report if it failed. */
export interface EndedRun {
  end: RunEnd;
  report?: WeeklyReport | undefined;
}

/**
 * @param outcomes of all workspaces
 * @param shard Other shards may have workspaces that are not stale; without one, a run in which all that have brands are stale fails.
 */
export function reportOf(
  asOf: Micros,
  { deliveries, refused }: Pick<WeeklyReport, 'deliveries' | 'refused'>,
  {
    orphaned,
    futureRuns,
    completeness,
    measurement,
    engineShifts,
  }: Pick<Computed, 'orphaned' | 'futureRuns' | 'completeness'> &
    Pick<WeeklyReport, 'measurement' | 'engineShifts'>,
  outcomes: readonly Outcome[],
  shard?: Shard,
): WeeklyReport {
  const { newestCycle } = completeness;
  const sorted = outcomes.toSorted(byWorkspace);
  const published = sorted.filter((outcome) => 'snapshotId' in outcome);
  const kept = sorted.filter((outcome) => 'reason' in outcome);
  const unpublished = kept.filter(({ reason }) => reason !== 'newer');
  const areOthersFresh = shard !== undefined && newestCycle !== null && !isTooOld(newestCycle, asOf);
  const mayKeepStale = !isEveryStale(completeness) || areOthersFresh;
  const sum = (figure: 'brands' | 'documents' | 'bytes') =>
    published.reduce((total, each) => total + each[figure], 0);
  const created = published.filter(({ isNew }) => isNew).length;
  return {
    asOf: formatInstantExactly(asOf),
    workspaces: outcomes.length,
    brands: sum('brands'),
    documents: sum('documents'),
    bytes: sum('bytes'),
    new: created,
    unchanged: published.length - created,
    newer: kept.length - unpublished.length,
    deliveries,
    refused,
    orphaned,
    futureRuns,
    completeness: completenessReport({ ...completeness, workspaces: [...completeness.byWorkspace.values()] }),
    measurement: measurement.toSorted(byWorkspace),
    engineShifts,
    shard: shard ?? null,
    snapshots: published.map(({ workspaceId, snapshotId, isNew }) => ({ workspaceId, snapshotId, isNew })),
    unpublished: unpublished.filter((each) => !(mayKeepStale && isStale(each))),
    keptStale: mayKeepStale ? unpublished.filter(isStale).map(({ workspaceId }) => workspaceId) : [],
  };
}

/** A workspace without brands says nothing of the trackers. */
function isEveryStale({ byWorkspace: all }: Computed['completeness']): boolean {
  const withBrands = [...all.values()].filter(({ brands }) => brands > 0);
  return withBrands.every((workspace) => workspace.isStale);
}

function isStale({ reason }: Unpublished): boolean {
  return reason === 'stale';
}

function byWorkspace(a: { workspaceId: string }, b: { workspaceId: string }): number {
  return compareText(a.workspaceId, b.workspaceId);
}

function completenessReport({
  newestCycle,
  workspaces,
  missing,
}: Pick<CompletenessReport, 'newestCycle' | 'workspaces' | 'missing'>): CompletenessReport {
  const sum = (figure: 'expected' | 'delivered') =>
    workspaces.reduce((total, workspace) => total + workspace[figure], 0);
  const [expected, delivered] = [sum('expected'), sum('delivered')];
  const percent = percentOf(expected, delivered);
  return { newestCycle, expected, delivered, percent, workspaces, missing };
}

export function countStale({ workspaces }: CompletenessReport): number {
  return workspaces.filter((workspace) => workspace.isStale).length;
}
