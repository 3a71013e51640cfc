import { Cron } from 'croner';
import { reasonOf } from '../../lib/failure.ts';

/** When a job is due; the only file that knows the library. */
export interface CronSchedule {
  /** The last instant it was due, after one instant and up to another, in milliseconds; null if there is none. */
  lastDue(after: number, upTo: number): number | null;
}

/** Why an expression is invalid; null if it is valid. */
export function complaintAboutCron(expression: string): string | null {
  try {
    // The library also reads a date, and days that do not exist.
    const isRepeated = new Cron(expression, { mode: '5-or-6-parts' }).nextRuns(2).length === 2;
    return isRepeated ? null : 'It is never due, or only once';
  } catch (error) {
    return reasonOf(error);
  }
}

/** True for a name that the IANA database knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** @param expression @param timezone valid, as checked by the two above. */
export function cronSchedule(expression: string, timezone: string): CronSchedule {
  const cron = new Cron(expression, { timezone });
  return {
    lastDue(after, upTo) {
      // The library looks for an earlier one.
      const due = cron.previousRuns(1, new Date(upTo + 1))[0]?.getTime() ?? null;
      return due !== null && due > after ? due : null;
    },
  };
}
