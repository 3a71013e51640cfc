import type { Clock, Timer } from '../../lib/clock.ts';
import { explain } from '../../lib/failure.ts';
import { requireMark } from '../../lib/store/lake.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { leaseKey } from '../../snapshots/layout.ts';
import { countDeliveries } from '../lake/ledger.ts';
import type { RunEnd, WeeklyReport } from '../weekly/report/report.ts';
import { unpublishedText } from '../weekly/report/unpublished.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';
import { guardedStore } from './guarded-store.ts';
import { readCompleted, recordCompleted } from './completed.ts';
import type { CompletedRun } from './completed.ts';
import { leaseTaker } from './lease.ts';
import type { Lease } from './lease.ts';

/** What is run on schedule, and on which machine. */
export interface Scheduled {
  run: Omit<WeeklyOptions, 'asOf' | 'signal' | 'keepNewer' | 'clock'>;
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
 * - `done`, or `done before` by this or another scheduler, with all that has been delivered
 * - `held`: another scheduler has the lease
 * - `partial`: some workspaces were not published
 * - `failed`, or `stopped` by the signal; nothing is half done: what was published is whole
 */
export type Outcome =
  | (CompletedRun & { kind: 'done' | 'done before' })
  | (CompletedRun & { kind: 'partial'; reason: string })
  | { kind: 'held'; due: string; holder: string }
  | { kind: 'failed'; end: RunEnd; reason: string }
  | { kind: 'stopped'; end: RunEnd };

/**
 * Returns a function that runs for a scheduled instant (`due`, in milliseconds), never while another scheduler of the
 * same scope does.
 */
export function dueRunner(scheduled: Scheduled): (due: number, stop: AbortSignal) => Promise<Outcome> {
  const { run, scope, clock, leaseMs: ttlMs } = scheduled;
  const taker = leaseTaker({ ...scheduled, store: run.lake, key: leaseKey(scope), ttlMs });
  return async (due, stop) => {
    const startedAt = clock.now();
    const end = (): RunEnd => {
      const now = clock.now();
      return {
        due: isoOf(due),
        finishedAt: isoOf(now),
        seconds: (now - startedAt) / 1000,
        host: scheduled.host,
      };
    };
    try {
      // Its disk may be gone since the last run, and a lease must not be written below it.
      await requireMark(run.lake);
      const lease = await taker.acquire();
      if ('holder' in lease) return { kind: 'held', due: isoOf(due), holder: lease.holder };
      try {
        const before = await readCompleted(run.lake, scope);
        if (before !== null && (await isDone(before, due, scheduled)))
          return { ...before, kind: 'done before' };
        const report = await publish(scheduled, lease, due, stop);
        const done = { end: end(), report };
        const reason = unpublishedText(report.unpublished, report.workspaces);
        if (reason !== null) return { ...done, kind: 'partial', reason };
        await recordCompleted(guardedBy(lease, stop)(run.lake), scope, done);
        return { ...done, kind: 'done' };
      } finally {
        await lease.release();
      }
    } catch (error) {
      return stop.aborted
        ? { kind: 'stopped', end: end() }
        : { kind: 'failed', end: end(), reason: explain(error) };
    }
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function isDone({ end, report }: CompletedRun, due: number, { run, clock }: Scheduled) {
  const last = Date.parse(end.due);
  // Recorded while a clock was ahead: whether the real week is done is not known.
  if (last > clock.now()) return false;
  return last > due || (last === due && (await countDeliveries(run.lake)) <= report.deliveries);
}

function guardedBy(lease: Lease, stop: AbortSignal): (store: ObjectStore) => ObjectStore {
  const assertMayWrite = () => {
    stop.throwIfAborted();
    lease.assertHeld();
  };
  return (store) => guardedStore(store, assertMayWrite);
}

async function publish(
  { run, ...scheduled }: Scheduled,
  lease: Lease,
  due: number,
  stop: AbortSignal,
): Promise<WeeklyReport> {
  const guarded = guardedBy(lease, stop);
  const signal = AbortSignal.any([stop, lease.signal]);
  try {
    signal.throwIfAborted();
    const [store, lake] = [guarded(run.store), guarded(run.lake)];
    const asOf = BigInt(due) * 1000n;
    const { clock } = scheduled;
    return await scheduled.weekly({ ...run, store, lake, asOf, keepNewer: true, clock, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // DuckDB only says that it was interrupted
  }
}
