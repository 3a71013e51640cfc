import type { Clock } from '../../lib/clock.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import type { Signer, Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHead } from '../../snapshots/publish/head.ts';
import { publishSnapshot } from '../../snapshots/publish/publish.ts';
import type { Published } from '../../snapshots/publish/publish.ts';
import { mapConcurrently } from '../concurrency.ts';
import { readLedger } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import type { WorkspaceCompleteness } from './checks/completeness.ts';
import { computeWorkspaces, openWeek } from './compute.ts';
import { everything, readOnlyScope, shardScope } from './facts/scope.ts';
import type { Scope } from './facts/scope.ts';
import { failedWorkspace, holdBack, isNewerThan } from './held-back.ts';
import type { HoldBackRules } from './held-back.ts';
import { addTo, newReport, sortReport } from './report/report.ts';
import type { WeeklyReport } from './report/report.ts';
import { selectWorkspaces } from './selection.ts';
import type { Shard } from './shard.ts';
import type { WorkspaceResult } from './snapshots.ts';
import { stateAsOf } from './inputs/state.ts';
import type { Unpublished } from './report/unpublished.ts';

export interface WeeklyOptions extends HoldBackRules {
  lake: ObjectStore;
  store: ObjectStore;
  asOf: Micros;
  /** Only these workspaces; all of them where it is absent. */
  workspaces?: readonly string[];
  shard?: Shard;
  /** Reduce the whole history from raw runs; stored facts are neither read nor written. */
  full?: boolean;
  threads?: number;
  /** Skip workspaces whose snapshot has a later as-of time: catching up on a missed week must not replace it. */
  keepNewer?: boolean;
  /** Ends the run with an error; what was published before stays. */
  signal?: AbortSignal;
  /** Signs the snapshots; without it they are not signed. */
  signer?: Signer | undefined;
  /** With a signer: the keys that may have signed the snapshot to continue from (default: the signer's own). */
  trust?: Trust | undefined;
  /** Continue from this snapshot where the head of a workspace is refused. */
  adopt?: string | undefined;
  /** For the time of publication. */
  clock?: Clock | undefined;
}

export interface WeeklyEffects {
  onStart?(workspaces: number): void;
  onWorkspace?(): void;
  /** A stored fact cannot be used; its runs are reduced again. */
  onWarning?(message: string): void;
}

/** Overlaps computing with writing: a remote store handles several writes at once, and writes to one disk share one fsync. */
const WORKSPACES_AT_ONCE = 16;
/** Limit of computed but unwritten bytes. One workspace may exceed it alone, and the next one is computed meanwhile. */
const BYTES_AT_ONCE = 64 << 20;

/**
 * Computes and publishes the snapshots of the workspaces as of an instant. The same inputs give the same bytes. An error
 * of one workspace is reported, and the others are published. When it returns or throws, no work continues in the background.
 */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const { lake, asOf, threads, signal } = options;
  const ledger = await readLedger(lake);
  const state = stateAsOf(lake, ledger, asOf);
  const warn = (message: string) => effects.onWarning?.(message);
  await using week = await openWeek({ lake, state, asOf, threads, signal, warn });
  const { workspaces, unpublished } = await selectWorkspaces(week.tracked, options);
  const computed = await computeWorkspaces(week, workspaces, {
    scope: scopeOf(options),
    full: options.full ?? false,
  });
  const { orphaned, completeness } = computed;
  const all = workspaces.length + unpublished.length;
  const report = newReport(asOf, all, refusedIn(ledger), orphaned, completeness);
  report.unpublished.push(...unpublished);
  effects.onStart?.(workspaces.length);
  let isWholeHistorySound = true;
  await mapConcurrently(
    computed.snapshots(),
    async (result) => {
      const { workspaceId } = result;
      if ('error' in result) isWholeHistorySound = false;
      const outcome = await publish(result, completeness.byWorkspace.get(workspaceId), options);
      if (outcome === 'newer') report.newer += 1;
      else if ('reason' in outcome) report.unpublished.push(outcome);
      else addTo(report, workspaceId, outcome.brands, outcome);
      effects.onWorkspace?.();
    },
    { limit: WORKSPACES_AT_ONCE, bytesOf, maxBytes: BYTES_AT_ONCE },
  );
  signal?.throwIfAborted();
  if (isWholeHistorySound) await computed.keepFacts();
  sortReport(report);
  return report;
}

function refusedIn(ledger: readonly Delivery[]): number {
  const runFiles = ledger.flatMap(({ sources }) => sources.filter(({ kind }) => kind === 'runs'));
  return runFiles.reduce((sum, source) => sum + source.refused, 0);
}

function scopeOf({ workspaces, shard }: WeeklyOptions): Scope {
  if (workspaces !== undefined) return readOnlyScope;
  return shard === undefined ? everything : shardScope(shard);
}

function bytesOf(result: WorkspaceResult): number {
  if ('error' in result) return 0;
  return result.publication.documents.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Publishes the snapshot of a workspace unless it is held back. @throws only if `signal` was aborted. */
async function publish(
  result: WorkspaceResult,
  completeness: WorkspaceCompleteness | undefined,
  options: WeeklyOptions,
): Promise<(Published & { brands: number }) | Unpublished | 'newer'> {
  const { store, lake, asOf, keepNewer, signal, signer, trust, adopt, clock } = options;
  const { workspaceId } = result;
  try {
    if ('error' in result) throw result.error;
    const { brands, publication } = result;
    const linking = { signer, trust, adopt, clock, heads: lake };
    // Verified: a false pointer must not make a workspace look newer than the week.
    const current = (await readHead(store, workspaceId, linking)).head?.manifest ?? null;
    if (keepNewer === true && current !== null && isNewerThan(current, asOf)) return 'newer';
    const heldBack = holdBack(workspaceId, brands, current, completeness, options);
    if (heldBack !== null) return heldBack;
    return { ...(await publishSnapshot(store, publication, linking)), brands };
  } catch (error) {
    if (signal?.aborted) throw error;
    return failedWorkspace(workspaceId, error);
  }
}
