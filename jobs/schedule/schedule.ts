import type { Timer } from '../../lib/clock.ts';
import type { CronSchedule } from './cron.ts';
import { dueRunner } from './run-due.ts';
import type { Outcome, Scheduled } from './run-due.ts';

export interface ScheduleOptions extends Scheduled {
  cron: CronSchedule;
  /** How long after a run that failed, or held workspaces back, it is tried again. */
  retryMs: number;
}

/** However well the timer of a schedule works: a machine may sleep, and its clock may be set. */
const LOOK_EVERY_MS = 60_000;

/**
 * Runs for the last scheduled instant wherever that was not done yet, at once and then whenever it is due, until it is
 * stopped. Of several instants that were missed only the last is run for.
 * @param onOutcome called after every attempt, with the instant it was for.
 * @returns the instant whose run was cut short by stopping; null where nothing was running.
 */
export async function keepSchedule(
  options: ScheduleOptions,
  onOutcome: (outcome: Outcome, due: number) => Promise<void>,
  stop: AbortSignal,
): Promise<number | null> {
  const { cron, clock } = options;
  const runner = dueRunner(options);
  const alarm = alarmOf(cron, options.timer);
  let doneUpTo = -Infinity;
  try {
    while (!stop.aborted) {
      const now = clock.now();
      const due = cron.lastDue(doneUpTo, now);
      let pause = LOOK_EVERY_MS;
      if (due === null) doneUpTo = Math.max(doneUpTo, now);
      else {
        const outcome = await runner.runFor(due, stop);
        await onOutcome(outcome, due);
        if (outcome.kind === 'stopped') return due;
        if (outcome.kind === 'done' || outcome.kind === 'done before') doneUpTo = due;
        else pause = outcome.kind === 'held' ? options.leaseMs / 4 : options.retryMs;
      }
      await alarm.ringsWithin(pause, stop);
    }
    return null;
  } finally {
    alarm.close();
  }
}

/** Remembers that it rang while nobody listened. */
function alarmOf(cron: CronSchedule, timer: Timer) {
  let rang = false;
  let woken = new AbortController();
  const close = cron.watch(() => {
    rang = true;
    woken.abort();
  });
  return {
    close,
    async ringsWithin(ms: number, stop: AbortSignal): Promise<void> {
      woken = new AbortController();
      if (!rang) await timer.wait(ms, AbortSignal.any([stop, woken.signal]));
      rang = false;
    },
  };
}
