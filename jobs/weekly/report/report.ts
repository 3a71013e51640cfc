import { formatInstantExactly } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ManifestCompleteness } from '../../../snapshots/manifest.ts';
import type { Published } from '../../../snapshots/publish/publish.ts';
import { percentOf } from '../checks/completeness.ts';
import type { Completeness, Missing, WorkspaceCompleteness } from '../checks/completeness.ts';
import type { Orphaned } from '../checks/orphans.ts';
import type { Unpublished } from './unpublished.ts';

/** What a weekly run did. */
export interface WeeklyReport {
  asOf: string;
  workspaces: number;
  brands: number;
  documents: number;
  bytes: number;
  /** Workspaces with a snapshot that they did not have before, and those without. */
  new: number;
  unchanged: number;
  /** Workspaces that kept a snapshot as of later. */
  newer: number;
  /** Runs that ingest refused, over all deliveries to the lake. */
  refused: number;
  orphaned: Orphaned;
  completeness: CompletenessReport;
  /** Ascending by workspace id. */
  snapshots: { workspaceId: string; snapshotId: string; isNew: boolean }[];
  /** Workspaces that were not published, ascending by id. */
  unpublished: Unpublished[];
}

/** Of the workspaces of this run, taken together. */
export interface CompletenessReport extends Pick<ManifestCompleteness, 'expected' | 'delivered' | 'percent'> {
  /** The newest cycle of the whole lake: the week that the data is from; null where nothing ran. */
  newestCycle: string | null;
  workspaces: WorkspaceCompleteness[];
  missing: Missing[];
}

/** Of a run that has published nothing yet. */
export function newReport(
  asOf: Micros,
  workspaces: number,
  refused: number,
  orphaned: Orphaned,
  completeness: Completeness,
): WeeklyReport {
  return {
    asOf: formatInstantExactly(asOf),
    workspaces,
    brands: 0,
    documents: 0,
    bytes: 0,
    new: 0,
    unchanged: 0,
    newer: 0,
    refused,
    orphaned,
    completeness: completenessReport({ ...completeness, workspaces: [...completeness.byWorkspace.values()] }),
    snapshots: [],
    unpublished: [],
  };
}

/** Counts what was published for a workspace. */
export function addTo(report: WeeklyReport, workspaceId: string, brands: number, published: Published): void {
  const { snapshotId, isNew, documents, bytes } = published;
  report.brands += brands;
  report.documents += documents;
  report.bytes += bytes;
  report[isNew ? 'new' : 'unchanged'] += 1;
  report.snapshots.push({ workspaceId, snapshotId, isNew });
}

function byWorkspace(a: { workspaceId: string }, b: { workspaceId: string }): number {
  return a.workspaceId < b.workspaceId ? -1 : 1;
}

export function sortReport(report: WeeklyReport): void {
  report.snapshots.sort(byWorkspace);
  report.unpublished.sort(byWorkspace);
}

/** The report of a week whose unpublished workspaces were tried again. @param retry the report of those alone */
export function mergeReports(first: WeeklyReport, retry: WeeklyReport): WeeklyReport {
  const retried = new Set(first.unpublished.map(({ workspaceId }) => workspaceId));
  const isDone = ({ workspaceId }: { workspaceId: string }) => !retried.has(workspaceId);
  const { newestCycle, workspaces, missing } = retry.completeness;
  const merged: WeeklyReport = {
    ...first,
    refused: retry.refused,
    orphaned: retry.orphaned,
    completeness: completenessReport({
      newestCycle,
      workspaces: [...first.completeness.workspaces.filter(isDone), ...workspaces],
      missing: [...first.completeness.missing.filter(isDone), ...missing],
    }),
    snapshots: [...first.snapshots, ...retry.snapshots],
    unpublished: [...retry.unpublished],
  };
  for (const figure of ['brands', 'documents', 'bytes', 'new', 'unchanged', 'newer'] as const) {
    merged[figure] += retry[figure];
  }
  sortReport(merged);
  return merged;
}

function completenessReport({
  newestCycle,
  workspaces,
  missing,
}: Pick<CompletenessReport, 'newestCycle' | 'workspaces' | 'missing'>): CompletenessReport {
  let [expected, delivered] = [0, 0];
  for (const workspace of workspaces) {
    expected += workspace.expected;
    delivered += workspace.delivered;
  }
  const percent = percentOf(expected, delivered);
  return { newestCycle, expected, delivered, percent, workspaces, missing };
}
