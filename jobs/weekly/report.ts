import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import type { ManifestCompleteness } from '../../snapshots/manifest.ts';
import type { Published } from '../../snapshots/publish.ts';
import { percentOf } from './completeness.ts';
import type { Completeness, Missing } from './completeness.ts';
import type { Orphaned } from './orphans.ts';

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
  snapshots: { workspaceId: string; snapshotId: string; isNew: boolean }[];
}

/** Of the workspaces of this run, taken together. */
export interface CompletenessReport extends Pick<ManifestCompleteness, 'expected' | 'delivered' | 'percent'> {
  /** Ids of the workspaces that were not published because they have less than was required. */
  heldBack: string[];
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
    completeness: reportOf(completeness),
    snapshots: [],
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

function reportOf({ byWorkspace, missing }: Completeness): CompletenessReport {
  let [expected, delivered] = [0, 0];
  for (const workspace of byWorkspace.values()) {
    expected += workspace.expected;
    delivered += workspace.delivered;
  }
  return { expected, delivered, percent: percentOf(expected, delivered), heldBack: [], missing };
}
