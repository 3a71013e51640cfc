import type { Clock, Timer } from '../../lib/clock.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { completedKey, leaseKey } from '../../snapshots/layout.ts';
import type { WeeklyReport } from '../weekly/report/report.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';
import { mergeReports } from '../weekly/report/report.ts';
import { unpublishedText } from '../weekly/report/unpublished.ts';
import type { Unpublished } from '../weekly/report/unpublished.ts';
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
 * - `partial`: some workspaces were not published; the next attempt is for those alone
 * - `failed`, or `stopped` by the signal; then nothing is half done: whatever was published is whole
 */
export type Outcome =
  | { kind: 'done'; completed: Completed }
  | { kind: 'done before'; completed: Completed }
  | { kind: 'held'; holder: string }
  | { kind: 'partial'; completed: Completed; unpublished: Unpublished[]; reason: string }
  | { kind: 'failed'; reason: string; seconds: number }
  | { kind: 'stopped'; seconds: number };

/** Runs for scheduled instants; one after the other, and never while another scheduler of the same scope does. */
export function dueRunner(scheduled: Scheduled) {
  const { run, scope, leaseMs: ttlMs } = scheduled;
  const attempts: Attempts = { last: null };
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
          return await runWith(scheduled, attempts, lease, due, stop, seconds);
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

/** What this process has published of the newest instant, if it could not publish everything. */
interface Attempts {
  last: { due: number; report: WeeklyReport } | null;
}

async function runWith(
  scheduled: Scheduled,
  attempts: Attempts,
  lease: Lease,
  due: number,
  stop: AbortSignal,
  seconds: () => number,
): Promise<Outcome> {
  const { run, clock, host } = scheduled;
  const done = await doneBefore(scheduled, due); // once more: another may have done it until the lease was ours
  if (done !== null) return done;
  const signal = AbortSignal.any([stop, lease.signal]);
  const store = guardedStore(run.store, () => {
    stop.throwIfAborted();
    lease.assertHeld();
  });
  const before = attempts.last?.due === due ? attempts.last.report : null;
  const published = await publish(scheduled, store, due, signal, before);
  const report = before === null ? published : mergeReports(before, published);
  const completed = completedOf(report, {
    due: new Date(due).toISOString(),
    finishedAt: new Date(clock.now()).toISOString(),
    seconds: seconds(),
    host,
  });
  const { unpublished } = report;
  const reason = unpublishedText(unpublished, report.workspaces);
  attempts.last = reason === null ? null : { due, report };
  if (reason !== null) return { kind: 'partial', completed, unpublished, reason };
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
  before: WeeklyReport | null,
): Promise<WeeklyReport> {
  const only =
    before === null ? {} : { workspaces: before.unpublished.map(({ workspaceId }) => workspaceId) };
  try {
    signal.throwIfAborted();
    return await scheduled.weekly({
      ...run,
      ...only,
      store,
      asOf: BigInt(due) * 1000n,
      keepNewer: true,
      signal,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // DuckDB only says that it was interrupted
  }
}

/** A defect keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : reasonOf(error);
}
