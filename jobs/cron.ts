import { createTask, parse, validateDetailed } from 'node-cron';

/** When a job is due; the only file that knows the library. */
export interface CronSchedule {
  /** The last instant it was due, after one instant and up to another, in milliseconds; null if there is none. */
  lastDue(after: number, upTo: number): number | null;
}

/** Why an expression is invalid; null if it is valid. */
export function complaintAboutCron(expression: string): string | null {
  const { errors } = validateDetailed(expression);
  return errors[0]?.message ?? complaintAboutDays(expression);
}

/** cron and Kubernetes run on a day that either field names, the library on a day that both do. */
function complaintAboutDays(expression: string): string | null {
  const [dayOfMonth = '*', , dayOfWeek = '*'] = expression.trim().split(/\s+/).slice(-3);
  return [dayOfMonth, dayOfWeek].every((field) => field !== '*' && field !== '?')
    ? 'it restricts both day of month and day of week, which schedulers read differently; leave one of them "*"'
    : null;
}

/** True for a name that the IANA database knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const MINUTE = 60_000;
/** Every zone's offset is a multiple of it, so that such a block lies within one hour of a zone. */
const BLOCK = 15 * MINUTE;
const LONGEST_SEARCH = 400 * 24 * 60 * MINUTE;

/** @param expression @param timezone valid, as checked by the two above. */
export function cronSchedule(expression: string, timezone: string): CronSchedule {
  const { second: seconds, hour, dayOfMonth, month, dayOfWeek } = parse(expression);
  const anyMinute = ['* *', hour, dayOfMonth, month, dayOfWeek].join(' ');
  const moment = createTask(expression, () => undefined, { timezone });
  const hourOf = createTask(anyMinute, () => undefined, { timezone });
  const isRepeated = repeatedHours(timezone);
  const dueInBlock = (block: number, after: number, upTo: number): number | null => {
    for (let minute = block + BLOCK - MINUTE; minute >= block; minute -= MINUTE) {
      for (const second of seconds.toSorted((a, b) => b - a)) {
        const at = minute + second * 1000;
        if (at > after && at <= upTo && moment.match(new Date(at)) && !isRepeated(at)) return at;
      }
    }
    return null;
  };
  return {
    lastDue(after, upTo) {
      const from = Math.max(after, upTo - LONGEST_SEARCH);
      for (let block = upTo - (upTo % BLOCK); block + BLOCK > from; block -= BLOCK) {
        const due = hourOf.match(new Date(block)) ? dueInBlock(block, from, upTo) : null;
        if (due !== null) return due;
      }
      return null;
    },
  };
}

/** True for an instant of an hour that the clocks show for the second time: a job is due in the first alone. */
function repeatedHours(timeZone: string): (at: number) => boolean {
  const wall = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => [30, 60, 120].some((shift) => wall.format(at) === wall.format(at - shift * MINUTE));
}
