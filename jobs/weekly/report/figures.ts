import { z } from 'zod';
import { count } from '../../../lib/documents/shared.ts';
import { countChanges, measurementKinds } from '../checks/measurement.ts';
import type { WeeklyReport } from './report.ts';

/** What a run did, for its metrics, its line in the log and the record of the schedule. */
export const figuresSchema = z.object({
  /** The scheduled instant: the as-of time of the snapshots. */
  due: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  host: z.string(),
  workspaces: count,
  brands: count,
  documents: count,
  bytes: count,
  new: count,
  unchanged: count,
  newer: count,
  /** The deliveries that the lake had; absent in records of older versions. */
  deliveries: count.optional(),
  refused: count,
  orphaned: z.object({ runs: count, prompts: count, competitors: count, brands: count }),
  futureRuns: count,
  /** Of the newest week, in percent; null if nothing was expected. */
  complete: z.number().nullable(),
  /** Workspaces whose tracker is silent. */
  stale: count,
  /** By workspace id, the newest cycle in which one of its brands ran; of workspaces with active prompts. */
  newestCycles: z.record(z.string(), z.iso.date()),
  /** By workspace id, of the same workspaces. Records of earlier versions lack it. */
  measurementChanges: z.record(z.string(), z.record(z.enum(measurementKinds), count)).default({}),
});
export type Figures = z.infer<typeof figuresSchema>;

/** The figures that a run has even if it failed. */
export type RunEnd = Pick<Figures, 'due' | 'finishedAt' | 'seconds' | 'host'>;

export function figuresOf(report: WeeklyReport, end: RunEnd): Figures {
  const { percent, workspaces } = report.completeness;
  const active = workspaces.filter(({ isActive, newestCycle }) => isActive && newestCycle !== null);
  return figuresSchema.parse({
    ...report,
    ...end,
    complete: percent,
    stale: workspaces.filter(({ isStale }) => isStale).length,
    newestCycles: Object.fromEntries(
      active.map(({ workspaceId, newestCycle }) => [workspaceId, newestCycle]),
    ),
    measurementChanges: countChanges(
      active.map(({ workspaceId }) => workspaceId),
      report.measurement,
    ),
  });
}
