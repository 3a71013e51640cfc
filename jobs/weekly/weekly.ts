import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import { openPublisher } from '../../snapshots/publish/publisher.ts';
import type { WorkspaceOutcome } from '../../snapshots/publish/publisher.ts';
import type { Signer } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { mapConcurrently } from '../concurrency.ts';
import { dropUnnamed } from '../lake/cache.ts';
import { readLedger } from '../lake/ledger.ts';
import type { Delivery } from '../lake/delivery.ts';
import { checkClock } from './checks/clock.ts';
import { engineShifts } from './checks/engine-shifts.ts';
import type { BrandDeviation } from './checks/engine-shifts.ts';
import type { MeasurementChange } from './checks/measurement.ts';
import { computeWorkspaces } from './compute.ts';
import { openWeek } from './week.ts';
import { failedWorkspace, objectionTo } from './held-back.ts';
import type { HoldBackRules } from './held-back.ts';
import { reportOf } from './report/report.ts';
import type { WeeklyReport } from './report/report.ts';
import type { Outcome, Unpublished } from './report/outcome.ts';
import { selectWorkspaces } from './selection.ts';
import type { SelectionOptions } from './selection.ts';
import { bytesIn } from './snapshots.ts';
import type { WorkspaceResult } from './snapshots.ts';
import { stateAsOf } from './inputs/state.ts';

export interface WeeklyOptions extends HoldBackRules, SelectionOptions {
  lake: ObjectStore;
  store: ObjectStore;
  threads?: number | undefined;
  /** For tests: the bytes of run objects in a slice for each cycle (default: as measured). */
  bytesInSlice?: number | undefined;
  /** Ends the run with an error; what was published before stays. */
  signal?: AbortSignal;
  /** The name of the store's log. */
  origin: string;
  signer: Signer;
  /** The clock is right, although it is far from the newest entry of the log. */
  acceptClock?: boolean | undefined;
  /** For the time of publication, and to notice a snapshot from the future (default: this machine's). */
  clock?: Clock | undefined;
}

export interface WeeklyEffects {
  onStart?(workspaces: number): void;
  onWorkspace?(): void;
  /** A withdrawn snapshot came out again. */
  onWarning?(message: string): void;
}

/** Overlaps computing with writing: a remote store handles several writes at once, and writes to one disk share one fsync. */
const WORKSPACES_AT_ONCE = 16;
/** Limit of computed but unwritten bytes. One workspace may exceed it alone, and the next one is computed meanwhile. */
const BYTES_AT_ONCE = 64 << 20;

/**
 * Computes and publishes the snapshots of the workspaces as of an instant. The same inputs give the same bytes. An error
 * of one workspace is reported, and the others are published. When it returns or throws, no work continues in the background.
 * @throws Failure before it does anything if this machine's clock is far from that of the store's server, or lake, store
 * and key do not belong together.
 */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const { lake, store, asOf, threads, bytesInSlice, signal, clock = systemClock } = options;
  await checkClock(store, systemClock);
  const ledger = await readLedger(lake);
  await dropUnnamed(lake, ledger);
  const publisher = await openPublisher<Unpublished>({ ...options, clock });
  const state = stateAsOf(lake, ledger, asOf);
  const warn = (message: string) => effects.onWarning?.(message);
  await using week = await openWeek({ lake, state, asOf, threads, bytesInSlice, signal });
  const { workspaces, unpublished } = await selectWorkspaces(week.tracked, publisher.state, options);
  const computed = await computeWorkspaces(week, workspaces);
  effects.onStart?.(workspaces.length);
  const failed: Unpublished[] = [];
  const measurement: MeasurementChange[] = [];
  const deviations: BrandDeviation[] = [];
  const add = async (result: WorkspaceResult) => {
    if ('error' in result) failed.push(failedWorkspace(result.workspaceId, result.error));
    else {
      measurement.push(...result.measurement);
      deviations.push(...result.deviations);
      const completeness = computed.completeness.byWorkspace.get(result.workspaceId);
      await publisher.add(result.publication, (current) =>
        objectionTo(result, current, completeness, options, clock),
      );
    }
    effects.onWorkspace?.();
  };
  const limits = { limit: WORKSPACES_AT_ONCE, bytesOf, maxBytes: BYTES_AT_ONCE };
  await mapConcurrently(computed.snapshots, add, limits);
  signal?.throwIfAborted();
  const published = (await publisher.finish()).map((each) => outcomeOf(each, warn));
  signal?.throwIfAborted();
  const outcomes = [...published, ...failed, ...unpublished];
  const found = { ...computed, measurement, engineShifts: engineShifts(deviations) };
  return reportOf(asOf, countsOf(ledger), found, outcomes, options.shard);
}

function countsOf(ledger: readonly Delivery[]): Pick<WeeklyReport, 'deliveries' | 'refused'> {
  const runFiles = ledger.flatMap(({ sources }) => sources.filter(({ kind }) => kind === 'runs'));
  return { deliveries: ledger.length, refused: runFiles.reduce((sum, source) => sum + source.refused, 0) };
}

function bytesOf(result: WorkspaceResult): number {
  return 'error' in result ? 0 : bytesIn(result.publication.documents);
}

function outcomeOf(
  { workspaceId, outcome }: WorkspaceOutcome<Unpublished>,
  warn: (message: string) => void,
): Outcome {
  if ('published' in outcome) return { ...outcome.published, workspaceId };
  if ('objection' in outcome) return outcome.objection;
  if ('error' in outcome) return failedWorkspace(workspaceId, outcome.error);
  const { snapshotId, withdrawn } = outcome.withdrawn;
  const message = `${snapshotId}, which was computed again, was withdrawn as ${withdrawn!.reason}`;
  warn(`workspace ${workspaceId} keeps its snapshot: ${message}`);
  return { workspaceId, reason: 'newer', message };
}
