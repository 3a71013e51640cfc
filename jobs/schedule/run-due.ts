import type { Clock, Timer } from '../../lib/clock.ts';
import { explain } from '../../lib/failure.ts';
import { completedKey, leaseKey } from '../../snapshots/layout.ts';
import { countDeliveries } from '../lake/ledger.ts';
import { figuresOf } from '../weekly/report/figures.ts';
import type { Figures, RunEnd } from '../weekly/report/figures.ts';
import { mergeReports } from '../weekly/report/report.ts';
import type { WeeklyReport } from '../weekly/report/report.ts';
import { unpublishedText } from '../weekly/report/unpublished.ts';
import type { Unpublished } from '../weekly/report/unpublished.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';
import { readCompleted, recordCompleted } from './completed.ts';
import { guardedStore } from './guarded-store.ts';
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
 * - `partial`: some workspaces were not published; the next attempt is for those alone
 * - `failed`, or `stopped` by the signal; nothing is half done: what was published is whole
 */
export type Outcome =
  | { kind: 'done' | 'done before'; run: Figures; unpublished: [] }
  | { kind: 'held'; run: Pick<RunEnd, 'due'>; holder: string }
  | { kind: 'partial'; run: Figures; unpublished: Unpublished[]; reason: string }
  | { kind: 'failed'; run: RunEnd; reason: string }
  | { kind: 'stopped'; run: RunEnd };

/**
 * Returns a function that runs for a scheduled instant (`due`, in milliseconds), never while another scheduler of the
 * same scope does.
 */
export function dueRunner(scheduled: Scheduled): (due: number, stop: AbortSignal) => Promise<Outcome> {
  const { run, scope, clock, leaseMs: ttlMs } = scheduled;
  const taker = leaseTaker({ ...scheduled, store: run.lake, key: leaseKey(scope), ttlMs });
  /** What was published for the newest instant, if some workspaces are missing. */
  let partial: { due: number; report: WeeklyReport } | null = null;

  async function runWith(lease: Lease, due: number, startedAt: number, stop: AbortSignal): Promise<Outcome> {
    const assertMayWrite = () => {
      stop.throwIfAborted();
      lease.assertHeld();
    };
    const store = guardedStore(run.store, assertMayWrite);
    const lake = guardedStore(run.lake, assertMayWrite);
    const signal = AbortSignal.any([stop, lease.signal]);
    const before = partial?.due === due ? partial.report : null;
    const published = await publish({ ...scheduled, run: { ...run, store, lake } }, due, signal, before);
    const report = before === null ? published : mergeReports(before, published);
    const figures = figuresOf(report, endOf(scheduled, due, startedAt));
    const { unpublished } = report;
    const reason = unpublishedText(unpublished, report.workspaces);
    partial = reason === null ? null : { due, report };
    if (reason !== null) return { kind: 'partial', run: figures, unpublished, reason };
    await recordCompleted(lake, completedKey(scope), figures, clock.now());
    return { kind: 'done', run: figures, unpublished: [] };
  }

  return async (due, stop) => {
    const startedAt = clock.now();
    try {
      const before = await doneBefore(scheduled, due);
      if (before !== null) return before;
      const lease = await taker.acquire();
      if ('holder' in lease) return { kind: 'held', run: { due: isoOf(due) }, holder: lease.holder };
      try {
        // Once more: another scheduler may have done it before the lease was ours.
        return (await doneBefore(scheduled, due)) ?? (await runWith(lease, due, startedAt, stop));
      } finally {
        await lease.release();
      }
    } catch (error) {
      const end = endOf(scheduled, due, startedAt);
      return stop.aborted
        ? { kind: 'stopped', run: end }
        : { kind: 'failed', run: end, reason: explain(error) };
    }
  };
}

function endOf({ clock, host }: Scheduled, due: number, startedAt: number): RunEnd {
  const now = clock.now();
  return { due: isoOf(due), finishedAt: isoOf(now), seconds: (now - startedAt) / 1000, host };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function doneBefore(scheduled: Scheduled, due: number): Promise<Outcome | null> {
  const { run, scope, clock } = scheduled;
  const completed = await readCompleted(run.lake, completedKey(scope));
  if (completed === null || Date.parse(completed.due) < due) return null;
  // Recorded while a clock was ahead: whether the real week is done is not known.
  if (Date.parse(completed.due) > clock.now()) return null;
  if (await isDeliveredLate(scheduled, due)) return null;
  return { kind: 'done before', run: completed, unpublished: [] };
}

/** True if the lake has got deliveries since the week of this instant was published. */
export async function isDeliveredLate({ run, scope }: Scheduled, due: number): Promise<boolean> {
  const completed = await readCompleted(run.lake, completedKey(scope));
  if (completed?.deliveries === undefined || Date.parse(completed.due) !== due) return false;
  return (await countDeliveries(run.lake)) > completed.deliveries;
}

/** @param before the report of an earlier attempt: only what it left unpublished is published. */
async function publish(
  { run, ...scheduled }: Scheduled,
  due: number,
  signal: AbortSignal,
  before: WeeklyReport | null,
): Promise<WeeklyReport> {
  const only = before === null ? {} : { workspaces: before.unpublished.map((each) => each.workspaceId) };
  try {
    signal.throwIfAborted();
    return await scheduled.weekly({
      ...run,
      ...only,
      asOf: BigInt(due) * 1000n,
      keepNewer: true,
      clock: scheduled.clock,
      signal,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error; // DuckDB only says that it was interrupted
  }
}
