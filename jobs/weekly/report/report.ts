import { z } from 'zod';
import { count } from '../../../lib/documents/shared.ts';
import { formatInstantExactly } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { Published } from '../../../snapshots/publish/publisher.ts';
import { isTooOld, missingSchema, percentOf, workspaceCompletenessSchema } from '../checks/completeness.ts';
import { measurementChangeSchema } from '../checks/measurement.ts';
import { orphanedSchema } from '../checks/orphans.ts';
import type { Computed } from '../compute.ts';
import type { Shard } from '../shard.ts';
import { unpublishedSchema } from './unpublished.ts';
import type { Unpublished } from './unpublished.ts';

/** When a run ended, and the instant that it was for: the as-of time of the snapshots. */
export const runEndSchema = z.object({
  due: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  host: z.string(),
});
export type RunEnd = z.infer<typeof runEndSchema>;

/** The sums of the workspaces of a run. */
const completenessSchema = z.object({
  /** The newest cycle of the whole lake: the week that the data is from; null if nothing ran. */
  newestCycle: z.string().nullable(),
  expected: count,
  delivered: count,
  percent: z.number().nullable(),
  workspaces: z.array(workspaceCompletenessSchema),
  missing: z.array(missingSchema),
});
export type CompletenessReport = z.infer<typeof completenessSchema>;

/** What a weekly run did. */
export const weeklyReportSchema = z.object({
  asOf: z.string(),
  workspaces: count,
  brands: count,
  documents: count,
  bytes: count,
  /** Workspaces that got a new snapshot, and those that had this very snapshot before. */
  new: count,
  unchanged: count,
  /** Workspaces that kept a snapshot as of later. */
  newer: count,
  /** The deliveries that the lake had, and the runs that ingest refused in all of them. */
  deliveries: count,
  refused: count,
  orphaned: orphanedSchema,
  /** Runs of more than a day after `asOf`: not in the snapshots, a clock of the tracker was wrong. */
  futureRuns: count,
  completeness: completenessSchema,
  /** Engines that were measured otherwise than in the week before, ascending by workspace. */
  measurement: z.array(measurementChangeSchema),
  /** Ascending by workspace id. */
  snapshots: z.array(z.object({ workspaceId: z.string(), snapshotId: z.string(), isNew: z.boolean() })),
  /** Workspaces that were not published, ascending by id; without those of `keptStale`. */
  unpublished: z.array(unpublishedSchema),
  /** Ids of workspaces that keep their snapshot because their tracker is silent, which no retry can help. */
  keptStale: z.array(z.string()),
});
export type WeeklyReport = z.infer<typeof weeklyReportSchema>;

/** A run that ended; without a report if it failed. */
export interface EndedRun {
  end: RunEnd;
  report?: WeeklyReport | undefined;
}

/** What a run did with a workspace; `newer`: it kept a snapshot as of later, or the operator withdrew this very one. */
export type Outcome = (Published & { workspaceId: string }) | Unpublished | 'newer';

/**
 * @param outcomes of all workspaces, the published ones in ascending order
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
  }: Pick<Computed, 'orphaned' | 'futureRuns' | 'completeness'> & Pick<WeeklyReport, 'measurement'>,
  outcomes: readonly Outcome[],
  shard?: Shard,
): WeeklyReport {
  const { newestCycle } = completeness;
  const unpublished = outcomes.filter((outcome) => outcome !== 'newer' && 'reason' in outcome);
  const areOthersFresh = shard !== undefined && newestCycle !== null && !isTooOld(newestCycle, asOf);
  const mayKeepStale = !isEveryStale(completeness) || areOthersFresh;
  const published = outcomes.filter((outcome) => outcome !== 'newer' && 'snapshotId' in outcome);
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
    newer: outcomes.filter((outcome) => outcome === 'newer').length,
    deliveries,
    refused,
    orphaned,
    futureRuns,
    completeness: completenessReport({ ...completeness, workspaces: [...completeness.byWorkspace.values()] }),
    measurement: measurement.toSorted(byWorkspace),
    snapshots: published.map(({ workspaceId, snapshotId, isNew }) => ({ workspaceId, snapshotId, isNew })),
    unpublished: unpublished.filter((each) => !(mayKeepStale && isStale(each))).toSorted(byWorkspace),
    keptStale: mayKeepStale ? idsOf(unpublished.filter(isStale)) : [],
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

function idsOf(unpublished: readonly Unpublished[]): string[] {
  return unpublished.map(({ workspaceId }) => workspaceId).toSorted();
}

function byWorkspace(a: { workspaceId: string }, b: { workspaceId: string }): number {
  return a.workspaceId < b.workspaceId ? -1 : Number(a.workspaceId > b.workspaceId);
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
