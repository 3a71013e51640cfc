import type { Clock, Timer } from '../../lib/clock.ts';
import { explain } from '../../lib/failure.ts';
import { requireMark } from '../../lib/store/lake.ts';
import { leaseKey } from '../../snapshots/layout.ts';
import { endOf } from '../weekly/report/report.ts';
import type { RunEnd, WeeklyReport } from '../weekly/report/report.ts';
import { unpublishedText } from '../weekly/report/outcome.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';
import { leaseTaker } from './lease.ts';

/** What is run on schedule, and on which machine. */
export interface Scheduled {
  run: Omit<WeeklyOptions, 'asOf' | 'signal' | 'keepNewer' | 'clock'>;
  /** Names the lease: which workspaces it is for. */
  scope: string;
  leaseMs: number;
  host: string;
  pid: number;
  clock: Clock;
  timer: Timer;
  /** Computes and publishes; `weekly`. */
  weekly: (options: WeeklyOptions) => Promise<WeeklyReport>;
}

/**
 * - `done`: with all that has been delivered
 * - `held`: another scheduler has the lease
 * - `partial`: some workspaces were not published
 * - `failed`, or `stopped` by the signal; nothing is half done: what was published is whole
 */
export type Outcome =
  | { kind: 'done'; end: RunEnd; report: WeeklyReport }
  | { kind: 'partial'; end: RunEnd; report: WeeklyReport; reason: string }
  | { kind: 'held'; due: string; holder: string }
  | { kind: 'failed'; end: RunEnd; reason: string }
  | { kind: 'stopped'; end: RunEnd };

/**
 * Returns a function that runs for a scheduled instant (`due`, in milliseconds), never while another scheduler of the
 * same scope does.
 */
export function dueRunner(scheduled: Scheduled): (due: number, stop: AbortSignal) => Promise<Outcome> {
  const { run, scope, clock, host, leaseMs: ttlMs } = scheduled;
  const taker = leaseTaker({ ...scheduled, store: run.lake, key: leaseKey(scope), ttlMs });
  return async (due, stop) => {
    const startedAt = clock.now();
    const end = () => endOf({ due: isoOf(due), startedAt, host }, clock);
    try {
      // Its disk may be gone since the last run, and a lease must not be written below it.
      await requireMark(run.lake);
      const lease = await taker.acquire();
      if ('holder' in lease) return { kind: 'held', due: isoOf(due), holder: lease.holder };
      try {
        const report = await publish(scheduled, AbortSignal.any([stop, lease.signal]), due);
        const reason = unpublishedText(report.unpublished, report.workspaces);
        return reason === null
          ? { kind: 'done', end: end(), report }
          : { kind: 'partial', end: end(), report, reason };
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

/**
 * @param signal is aborted when the lease is lost. What is written after that does no harm: objects are created once, and
 * the log grows by compare-and-swap.
 */
async function publish(
  { run, clock, weekly }: Scheduled,
  signal: AbortSignal,
  due: number,
): Promise<WeeklyReport> {
  try {
    signal.throwIfAborted();
    return await weekly({ ...run, asOf: BigInt(due) * 1000n, keepNewer: true, clock, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // DuckDB only says that it was interrupted
  }
}
