import type { CronSchedule } from '../cron.ts';
import { countDeliveries } from '../lake/ledger.ts';
import { dueRunner } from './run-due.ts';
import type { Outcome, Scheduled } from './run-due.ts';

export interface ScheduleOptions extends Scheduled {
  cron: CronSchedule;
  /** How long after a run that failed, or left workspaces unpublished, it is repeated. */
  retryMs: number;
}

/** No timer runs up to the next instant: a machine may sleep, and its clock may be set. A look takes 0.03 ms. */
const LOOK_EVERY_MS = 1000;
/** A look for late deliveries lists the lake's ledger. */
const LATE_EVERY_MS = 60_000;
/** A clock that is corrected by less has done no harm. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Runs for the last scheduled instant, which changes nothing if that was done before, and then whenever it is due, until it is
 * stopped. If several instants were missed, it runs only for the last. The week is published again if something is delivered
 * after it.
 * @param onOutcome called after every attempt.
 * @returns the instant whose run was cut short by stopping; null if nothing was running.
 */
export async function keepSchedule(
  options: ScheduleOptions,
  onOutcome: (outcome: Outcome) => Promise<void>,
  stop: AbortSignal,
): Promise<number | null> {
  const { cron, clock, timer, leaseMs, retryMs } = options;
  const runFor = dueRunner(options);
  let lookedUpTo = -Infinity;
  /** The instant that is done, the number of deliveries then, and when a late one was last looked for. */
  let done: { due: number; deliveries: number; lookedAt: number } | null = null;
  /** The instant that is not done yet, and how long after `since` it is the time for an attempt. */
  let pending: { due: number; since: number; pauseMs: number } | null = null;
  while (!stop.aborted) {
    const now = clock.now();
    if (now < lookedUpTo - CLOCK_TOLERANCE_MS) {
      // The clock was set back: what was found due may lie in the future, and the week before it was never looked at.
      [lookedUpTo, pending, done] = [-Infinity, null, null];
    }
    const due = cron.lastDue(lookedUpTo, now);
    if (due !== null) pending = { due, since: now, pauseMs: 0 };
    lookedUpTo = Math.max(lookedUpTo, now);
    if (pending === null && done !== null && Math.abs(now - done.lookedAt) >= LATE_EVERY_MS) {
      done.lookedAt = now;
      // What cannot be looked at now is looked at in a minute.
      if ((await countDeliveries(options.run.lake).catch(() => 0)) > done.deliveries)
        pending = { due: done.due, since: now, pauseMs: 0 };
    }
    // A clock that was set back must not make the pause longer than twice its length.
    if (pending !== null && Math.abs(now - pending.since) >= pending.pauseMs) {
      const outcome = await runFor(pending.due, stop);
      await onOutcome(outcome);
      if (outcome.kind === 'stopped') return pending.due;
      const isDone = outcome.kind === 'done';
      const pauseMs = outcome.kind === 'held' ? leaseMs / 4 : retryMs;
      if (isDone) done = { due: pending.due, deliveries: outcome.report.deliveries, lookedAt: clock.now() };
      pending = isDone ? null : { due: pending.due, since: clock.now(), pauseMs };
    }
    await timer.wait(LOOK_EVERY_MS, stop);
  }
  return null;
}
