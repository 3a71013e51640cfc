import type { Clock, Timer } from '../../lib/clock.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { completedKey, leaseKey } from '../../snapshots/layout.ts';
import type { WeeklyReport } from '../weekly/report.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';
import { heldBackText } from '../weekly/held-back.ts';
import { completedOf, readCompleted, recordCompleted } from './completed.ts';
import type { Completed } from './completed.ts';
import { guardedStore } from './guarded-store.ts';
import { leaseTaker } from './lease.ts';
import type { Lease } from './lease.ts';

/** What is run on schedule, where, and with what of the world outside. */
export interface Scheduled {
  run: Omit<WeeklyOptions, 'asOf' | 'signal' | 'keepNewer'>;
  /** Names the lease and the record of what was done: which workspaces they are for. */
  scope: string;
  leaseMs: number;
  host: string;
  pid: number;
  clock: Clock;
  timer: Timer;
  /** Computes and publishes; `weekly`. */
  weekly(options: WeeklyOptions): Promise<WeeklyReport>;
}

/**
 * - `done`, or `done before` by this or another scheduler
 * - `held`: another scheduler is at it
 * - `held back`: some workspaces are not complete enough
 * - `failed`, or `stopped` by the signal; then nothing is half done: whatever was published is whole
 */
export type Outcome =
  | { kind: 'done'; completed: Completed }
  | { kind: 'done before'; completed: Completed }
  | { kind: 'held'; holder: string }
  | { kind: 'held back'; completed: Completed; reason: string }
  | { kind: 'failed'; reason: string; seconds: number }
  | { kind: 'stopped'; seconds: number };

/** Runs for scheduled instants; one after the other, and never while another scheduler of the same scope does. */
export function dueRunner(scheduled: Scheduled) {
  const { run, scope, leaseMs: ttlMs } = scheduled;
  const taker = leaseTaker({ ...scheduled, store: run.store, key: leaseKey(scope), ttlMs });
  return {
    /** @param due in milliseconds */
    async runFor(due: number, stop: AbortSignal): Promise<Outcome> {
      const startedAt = scheduled.clock.now();
      const seconds = () => (scheduled.clock.now() - startedAt) / 1000;
      try {
        const before = await doneBefore(scheduled, due);
        if (before !== null) return before;
        const lease = await taker.acquire();
        if ('holder' in lease) return { kind: 'held', holder: lease.holder };
        try {
          return await runWith(scheduled, lease, due, stop, seconds);
        } finally {
          await lease.release();
        }
      } catch (error) {
        if (stop.aborted) return { kind: 'stopped', seconds: seconds() };
        return { kind: 'failed', reason: explain(error), seconds: seconds() };
      }
    },
  };
}

async function runWith(
  scheduled: Scheduled,
  lease: Lease,
  due: number,
  stop: AbortSignal,
  seconds: () => number,
): Promise<Outcome> {
  const { run, clock, host } = scheduled;
  const before = await doneBefore(scheduled, due); // once more: another may have done it until the lease was ours
  if (before !== null) return before;
  const signal = AbortSignal.any([stop, lease.signal]);
  const store = guardedStore(run.store, () => {
    stop.throwIfAborted();
    lease.assertHeld();
  });
  const report = await publish(scheduled, store, due, signal);
  const completed = completedOf(report, {
    due: new Date(due).toISOString(),
    finishedAt: new Date(clock.now()).toISOString(),
    seconds: seconds(),
    host,
  });
  const reason = heldBackText(report, run.requireComplete);
  if (reason !== null) return { kind: 'held back', completed, reason };
  await recordCompleted(store, completedKey(scheduled.scope), completed);
  return { kind: 'done', completed };
}

async function doneBefore({ run, scope }: Scheduled, due: number): Promise<Outcome | null> {
  const completed = await readCompleted(run.store, completedKey(scope));
  return completed !== null && Date.parse(completed.due) >= due ? { kind: 'done before', completed } : null;
}

async function publish(
  { run, ...scheduled }: Scheduled,
  store: ObjectStore,
  due: number,
  signal: AbortSignal,
): Promise<WeeklyReport> {
  try {
    signal.throwIfAborted();
    return await scheduled.weekly({ ...run, store, asOf: BigInt(due) * 1000n, keepNewer: true, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // DuckDB only says that it was interrupted
  }
}

/** A defect keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : reasonOf(error);
}
