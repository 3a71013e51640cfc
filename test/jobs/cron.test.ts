import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { complaintAboutCron, cronSchedule, isTimeZone } from '../../jobs/cron.ts';

const MINUTE = 60_000;
/** Lord Howe's clocks change by half an hour; Kathmandu is 5:45 ahead. */
const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

/** Walks back a minute at a time, without the library; of an hour that comes twice the first counts. */
function lastDueByWalking(cron: Cron, after: number, now: number): number | null {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: cron.zone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    day: 'numeric',
  });
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  for (let at = now - (now % MINUTE); at > after; at -= MINUTE) {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const fits =
      Number(parts['hour']) === cron.hour &&
      Number(parts['minute']) === cron.minute &&
      (cron.day === null || parts['weekday'] === days[cron.day]);
    const shownBefore = [30, 60].some((shift) => format.format(at - shift * MINUTE) === format.format(at));
    if (fits && !shownBefore) return at;
  }
  return null;
}

interface Cron {
  minute: number;
  hour: number;
  day: number | null;
  zone: string;
}

const crons = fc.record({
  minute: fc.constantFrom(0, 15, 30, 59),
  hour: fc.constantFrom(0, 1, 2, 3, 6, 23),
  day: fc.constantFrom(null, 0, 1),
  zone: fc.constantFrom(...zones),
});
/** Around the days on which clocks change, and others. */
const instants = fc
  .tuple(
    fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'),
    fc.integer({ min: -3 * 24 * 3600, max: 3 * 24 * 3600 }),
  )
  .map(([date, seconds]) => Date.parse(`${date}T00:00:00Z`) + seconds * 1000);

test(
  'the last instant that was due is the one that a walk over all minutes finds, whatever the clocks do',
  { tags: ['long'] },
  () => {
    fc.assert(
      fc.property(crons, instants, (cron, now) => {
        const { minute, hour, day, zone } = cron;
        const schedule = cronSchedule(`${minute} ${hour} * * ${day ?? '*'}`, zone);
        const after = now - 2.2 * 24 * 60 * MINUTE;
        expect(schedule.lastDue(after, now)).toBe(lastDueByWalking(cron, after, now));
      }),
      { numRuns: 80 },
    );
  },
);

test.each([
  ['0 6 * * 1', '2026-11-16T06:00:00.000Z', '2026-11-16T06:00:00.000Z'],
  ['0 6 * * 1', '2026-11-16T05:59:59.999Z', '2026-11-09T06:00:00.000Z'],
  ['15 30 6 1 1 *', '2026-12-31T00:00:00.000Z', '2026-01-01T06:30:15.000Z'],
  ['@weekly', '2026-11-20T00:00:00.000Z', '2026-11-15T00:00:00.000Z'],
])('the last instant of "%s" up to %s is %s, unless it was done', (expression, now, expected) => {
  const schedule = cronSchedule(expression, 'UTC');
  const due = Date.parse(expected);
  expect(schedule.lastDue(due - 1, Date.parse(now))).toBe(due);
  expect(schedule.lastDue(0, Date.parse(now))).toBe(due);
  expect(schedule.lastDue(due, Date.parse(now))).toBe(null);
});

test('an expression or a zone that means nothing is told from one that does', () => {
  for (const sound of ['0 6 * * 1', '@weekly', '0 0 6 * * MON', '0 6 1-7 * *', '0 6 L * *', '0 6 ? * 1'])
    expect(complaintAboutCron(sound)).toBe(null);
  for (const wrong of ['', '61 * * * *', '* *', 'monday', '0 0 31 2 *', '0 6 * * 1; rm'])
    expect(complaintAboutCron(wrong)).toEqual(expect.any(String));
  for (const ambiguous of ['0 6 1 * 1', '0 0 6 1-7 * MON', '0 6 */2 * 1'])
    expect(complaintAboutCron(ambiguous)).toMatch(/both day of month and day of week/);
  expect(['UTC', 'Europe/Berlin', 'America/St_Johns'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars', 'Europe/Berlin '].some(isTimeZone)).toBe(false);
});
