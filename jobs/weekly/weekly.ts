import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly, parseInstant } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import type { Signer } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { asOfOfId } from '../../snapshots/manifest.ts';
import type { ManifestCompleteness } from '../../snapshots/manifest.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import type { Publication, Published } from '../../snapshots/publish.ts';
import { readPointer } from '../../snapshots/read.ts';
import { readLedger } from '../lake/ledger.ts';
import { fallsShort, percentOf } from './completeness.ts';
import type { Completeness, Missing } from './completeness.ts';
import { compute } from './compute.ts';
import type { Orphaned } from './compute.ts';
import { everything, passing, shardScope } from './facts/scope.ts';
import type { Scope } from './facts/scope.ts';
import { inFlight } from './in-flight.ts';
import { inShard } from './shard.ts';
import type { Shard } from './shard.ts';
import { stateAsOf } from './state.ts';

export interface WeeklyOptions {
  lake: ObjectStore;
  store: ObjectStore;
  asOf: Micros;
  /** Only these workspaces; all of them where it is absent. */
  workspaces?: readonly string[];
  shard?: Shard;
  /** Reduce the whole history from raw runs; stored facts are neither read nor written. */
  full?: boolean;
  threads?: number;
  /** Workspaces with less than this of their newest week are not published. */
  requireComplete?: number | undefined;
  /** Leave a workspace as it is that has a snapshot as of later: a week that is caught up must not replace it. */
  keepNewer?: boolean;
  /** Ends the run with an error; what was published until then stays. */
  signal?: AbortSignal;
  /** Signs what is published; absent: it is not signed. */
  signer?: Signer | undefined;
}

export interface WeeklyEffects {
  onStart?(workspaces: number): void;
  onWorkspace?(): void;
}

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

/** Computes and publishes the snapshots of the workspaces as of an instant. The same inputs give the same bytes. */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const { lake, asOf, threads, signal } = options;
  const facts = options.full === true ? null : scopeOf(options);
  const ledger = await readLedger(lake);
  const state = stateAsOf(lake, ledger, asOf);
  const select = (tracked: readonly string[]) => selectWorkspaces(tracked, options);
  return await compute(
    { lake, state, asOf, select, facts, threads, signal },
    async ({ workspaces, orphaned, completeness, snapshots }) => {
      const runFiles = ledger
        .flatMap((delivery) => delivery.sources)
        .filter((source) => source.kind === 'runs');
      const report: WeeklyReport = {
        asOf: formatInstantExactly(asOf),
        workspaces: workspaces.length,
        brands: 0,
        documents: 0,
        bytes: 0,
        new: 0,
        unchanged: 0,
        newer: 0,
        refused: runFiles.reduce((sum, source) => sum + source.refused, 0),
        orphaned,
        completeness: reportOf(completeness),
        snapshots: [],
      };
      effects.onStart?.(workspaces.length);
      const room = inFlight(BYTES_AT_ONCE);
      await pMap(
        room.admit(snapshots, ({ publication }) => bytesOf(publication)),
        async ({ brands, publication }) => {
          const published = await publishUnless(publication, options);
          if (published === 'newer') report.newer += 1;
          else if (published === 'held back') report.completeness.heldBack.push(publication.workspaceId);
          else addTo(report, publication.workspaceId, brands, published);
          room.leave(bytesOf(publication));
          effects.onWorkspace?.();
        },
        { concurrency: WORKSPACES_AT_ONCE },
      );
      report.snapshots.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1));
      report.completeness.heldBack.sort();
      return report;
    },
  );
}

function scopeOf({ workspaces, shard }: WeeklyOptions): Scope {
  if (workspaces !== undefined) return passing;
  return shard === undefined ? everything : shardScope(shard);
}

/**
 * While some are written the next is computed, a store far away is waited for by several at once, and those on one disk
 * share a flush of it.
 */
const WORKSPACES_AT_ONCE = 16;
/** Computed and not yet written; beside it there are the next workspace, and any that is larger alone. */
const BYTES_AT_ONCE = 64 << 20;

function bytesOf({ documents }: Publication): number {
  return documents.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

async function publishUnless(
  publication: Publication,
  options: WeeklyOptions,
): Promise<Published | 'newer' | 'held back'> {
  const { store, asOf, signer } = options;
  if (options.keepNewer === true && (await hasNewer(store, publication.workspaceId, asOf))) return 'newer';
  if (isHeldBack(publication, options)) return 'held back';
  return await publishSnapshot(store, publication, signer);
}

function addTo(report: WeeklyReport, workspaceId: string, brands: number, published: Published): void {
  const { snapshotId, isNew, documents, bytes } = published;
  report.brands += brands;
  report.documents += documents;
  report.bytes += bytes;
  report[isNew ? 'new' : 'unchanged'] += 1;
  report.snapshots.push({ workspaceId, snapshotId, isNew });
}

async function hasNewer(store: ObjectStore, workspaceId: string, asOf: Micros): Promise<boolean> {
  const pointer = await readPointer(store, workspaceId);
  const current = pointer === null ? null : parseInstant(asOfOfId(pointer.snapshotId) ?? '');
  return current !== null && current > asOf;
}

function isHeldBack({ completeness }: Publication, { requireComplete }: WeeklyOptions): boolean {
  return requireComplete !== undefined && !!completeness && fallsShort(completeness, requireComplete);
}

function reportOf({ byWorkspace, missing }: Completeness): CompletenessReport {
  let [expected, delivered] = [0, 0];
  for (const workspace of byWorkspace.values()) {
    expected += workspace.expected;
    delivered += workspace.delivered;
  }
  return { expected, delivered, percent: percentOf(expected, delivered), heldBack: [], missing };
}

function selectWorkspaces(tracked: readonly string[], { workspaces, shard, asOf }: WeeklyOptions): string[] {
  const unknown = workspaces?.filter((id) => !tracked.includes(id)) ?? [];
  if (unknown.length > 0) {
    throw new Failure(`workspace ${unknown.join(', ')} is not tracked as of ${formatInstantExactly(asOf)}`);
  }
  return tracked.filter(
    (id) =>
      (workspaces === undefined || workspaces.includes(id)) && (shard === undefined || inShard(id, shard)),
  );
}
