import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { cronSchedule, isTimeZone } from '../../jobs/cron.ts';
import { readCron } from '../../jobs/options.ts';

test.each([
  ['0 6 * * 1', 'UTC', '2026-11-16T06:00:00.000Z', '2026-11-16T06:00:00.000Z'],
  ['0 6 * * 1', 'UTC', '2026-11-16T05:59:59.999Z', '2026-11-09T06:00:00.000Z'],
  ['5,25,15 30 6 1 1 *', 'UTC', '2026-02-01T00:00:00.000Z', '2026-01-01T06:30:25.000Z'],
  ['@weekly', 'UTC', '2026-11-20T00:00:00.000Z', '2026-11-15T00:00:00.000Z'],
  // Whose offset is no whole hour; and the Mondays of another day in UTC.
  ['15 6 * * *', 'Asia/Kathmandu', '2026-11-16T12:00:00.000Z', '2026-11-16T00:30:00.000Z'],
  ['0 1 * * 1', 'Europe/Berlin', '2026-07-09T00:00:00.000Z', '2026-07-05T23:00:00.000Z'],
  // An hour that does not come, and hours and half hours that come twice, of which the first counts.
  ['30 2 * * *', 'America/New_York', '2026-03-09T00:00:00.000Z', '2026-03-07T07:30:00.000Z'],
  ['30 1 * * *', 'America/New_York', '2026-11-01T12:00:00.000Z', '2026-11-01T05:30:00.000Z'],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-05T00:00:00.000Z', '2026-04-04T14:45:00.000Z'],
])('the last instant of "%s" in %s up to %s is %s, unless it was done', (expression, zone, now, expected) => {
  const schedule = cronSchedule(expression, zone);
  const due = Date.parse(expected);
  expect(schedule.lastDue(due - 1, Date.parse(now))).toBe(due);
  expect(schedule.lastDue(0, Date.parse(now))).toBe(due);
  expect(schedule.lastDue(due, Date.parse(now))).toBe(null);
});

test('an expression or a zone that means nothing is told from one that does', () => {
  for (const sound of ['0 6 * * 1', '@weekly', '0 0 6 * * MON', '0 6 1-7 * *', '0 6 L * *', '0 6 ? * 1'])
    expect(readCron(sound)).toBe(sound);
  for (const wrong of ['', '61 * * * *', '* *', 'monday', '0 0 31 2 *', '0 6 * * 1; rm'])
    expect(() => readCron(wrong)).toThrow(InvalidArgumentError);
  for (const ambiguous of ['0 6 1 * 1', '0 0 6 1-7 * MON', '0 6 */2 * 1'])
    expect(() => readCron(ambiguous)).toThrow(/both day of month and day of week/);
  expect(['UTC', 'Europe/Berlin', 'America/St_Johns'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars', 'Europe/Berlin '].some(isTimeZone)).toBe(false);
});
