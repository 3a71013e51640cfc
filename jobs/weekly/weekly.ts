import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly, parseInstant } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import type { Signer } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { asOfOfId } from '../../snapshots/manifest.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import type { Publication, Published } from '../../snapshots/publish.ts';
import { readPointer } from '../../snapshots/read.ts';
import { readLedger } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import { fallsShort } from './completeness.ts';
import { compute } from './compute.ts';
import { everything, passing, shardScope } from './facts/scope.ts';
import type { Scope } from './facts/scope.ts';
import { inFlight } from './in-flight.ts';
import { addTo, newReport } from './report.ts';
import type { WeeklyReport } from './report.ts';
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

/** Computes and publishes the snapshots of the workspaces as of an instant. The same inputs give the same bytes. */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const { lake, asOf, threads, signal } = options;
  const [scope, full] = [scopeOf(options), options.full ?? false];
  const ledger = await readLedger(lake);
  const state = stateAsOf(lake, ledger, asOf);
  const select = (tracked: readonly string[]) => selectWorkspaces(tracked, options);
  return await compute(
    { lake, state, asOf, select, scope, full, threads, signal },
    async ({ workspaces, orphaned, completeness, snapshots }) => {
      const report = newReport(asOf, workspaces.length, refusedIn(ledger), orphaned, completeness);
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

function refusedIn(ledger: readonly Delivery[]): number {
  const runFiles = ledger.flatMap(({ sources }) => sources.filter(({ kind }) => kind === 'runs'));
  return runFiles.reduce((sum, source) => sum + source.refused, 0);
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

async function hasNewer(store: ObjectStore, workspaceId: string, asOf: Micros): Promise<boolean> {
  const pointer = await readPointer(store, workspaceId);
  const current = pointer === null ? null : parseInstant(asOfOfId(pointer.snapshotId) ?? '');
  return current !== null && current > asOf;
}

function isHeldBack({ completeness }: Publication, { requireComplete }: WeeklyOptions): boolean {
  return requireComplete !== undefined && !!completeness && fallsShort(completeness, requireComplete);
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
