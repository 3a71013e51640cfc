import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import type { Signer, Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { publishUnless } from '../../snapshots/publish/publish.ts';
import { mapConcurrently } from '../concurrency.ts';
import { readLedger } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import { checkClock } from './checks/clock.ts';
import type { WorkspaceCompleteness } from './checks/completeness.ts';
import type { MeasurementChange } from './checks/measurement.ts';
import { computeWorkspaces, openWeek } from './compute.ts';
import type { ScopeOptions } from './facts/scope.ts';
import { failedWorkspace, holdBack, isNewerThan, judgeNewer } from './held-back.ts';
import type { HoldBackRules } from './held-back.ts';
import { reportOf } from './report/report.ts';
import type { Outcome, WeeklyReport } from './report/report.ts';
import type { Unpublished } from './report/unpublished.ts';
import { selectWorkspaces } from './selection.ts';
import type { WorkspaceResult } from './snapshots.ts';
import { stateAsOf } from './inputs/state.ts';

export interface WeeklyOptions extends HoldBackRules, ScopeOptions {
  lake: ObjectStore;
  store: ObjectStore;
  asOf: Micros;
  threads?: number | undefined;
  /** Keep snapshots with a later as-of time: a run that catches up on a missed week must not replace them. */
  keepNewer?: boolean;
  /** Ends the run with an error; what was published before stays. */
  signal?: AbortSignal;
  /** Without it, snapshots are not signed. */
  signer?: Signer | undefined;
  /** With a signer: the keys that may have signed the snapshot to continue from (default: the signer's own). */
  trust?: Trust | undefined;
  /** Continue from this snapshot if the head of the workspace is refused. */
  adopt?: string | undefined;
  /** For the time of publication, and to notice a snapshot from the future (default: this machine's). */
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
 * @throws Failure before it does anything if this machine's clock is far from that of the store's server.
 */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const { lake, store, asOf, threads, signal } = options;
  await checkClock(store, systemClock);
  const ledger = await readLedger(lake);
  const state = stateAsOf(lake, ledger, asOf);
  const warn = (message: string) => effects.onWarning?.(message);
  await using week = await openWeek({ lake, state, asOf, threads, signal, warn });
  const { workspaces, unpublished } = await selectWorkspaces(week.tracked, options);
  const computed = await computeWorkspaces(week, workspaces, options);
  effects.onStart?.(workspaces.length);
  let isWholeHistorySound = true;
  const measurement: MeasurementChange[] = [];
  const outcomes = await mapConcurrently(
    computed.snapshots,
    async (result) => {
      if ('error' in result) isWholeHistorySound = false;
      else measurement.push(...result.measurement);
      const completeness = computed.completeness.byWorkspace.get(result.workspaceId);
      const outcome = await publish(result, completeness, options);
      effects.onWorkspace?.();
      return outcome;
    },
    { limit: WORKSPACES_AT_ONCE, bytesOf, maxBytes: BYTES_AT_ONCE },
  );
  signal?.throwIfAborted();
  if (isWholeHistorySound) await computed.keepFacts();
  const checked = { ...computed, measurement };
  return reportOf(asOf, countsOf(ledger), checked, [...outcomes, ...unpublished], options.shard);
}

function countsOf(ledger: readonly Delivery[]): Pick<WeeklyReport, 'deliveries' | 'refused'> {
  const runFiles = ledger.flatMap(({ sources }) => sources.filter(({ kind }) => kind === 'runs'));
  return { deliveries: ledger.length, refused: runFiles.reduce((sum, source) => sum + source.refused, 0) };
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
): Promise<Outcome> {
  const { store, lake, asOf, keepNewer, signal, signer, trust, adopt, clock = systemClock } = options;
  const { workspaceId } = result;
  try {
    if ('error' in result) throw result.error;
    const { brands, publication } = result;
    const linking = { signer, trust, adopt, clock, heads: lake };
    const objectionTo = (current: Manifest | null): Unpublished | 'newer' | null =>
      keepNewer === true && current !== null && isNewerThan(current, asOf)
        ? judgeNewer(workspaceId, current, clock)
        : holdBack(workspaceId, brands, current, completeness, options);
    const published = await publishUnless(store, publication, objectionTo, linking);
    return typeof published === 'object' && 'snapshotId' in published
      ? { ...published, workspaceId, brands }
      : published;
  } catch (error) {
    if (signal?.aborted) throw error;
    return failedWorkspace(workspaceId, error);
  }
}
