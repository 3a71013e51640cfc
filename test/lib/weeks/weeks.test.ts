import { expect, test } from 'vitest';
import { lastOfEachWeek, mondayOf, weekBefore } from '../../../lib/weeks/weeks.ts';

const list = (...all: [day: string, withdrawn: string | null, id: number][]) =>
  all.map(([day, withdrawn, id]) => ({ asOf: `2026-11-${day}T06:00:00.000Z`, withdrawn, id }));

test('a week is Monday to Sunday, UTC', () => {
  expect(mondayOf('2026-11-16T00:00:00.000Z')).toBe('2026-11-16');
  expect(mondayOf('2026-11-22T23:59:59.999Z')).toBe('2026-11-16');
});

test('each week has one snapshot: the last one published of those that stand', () => {
  const snapshots = list(['23', 'mistaken', 6], ['23', null, 5], ['23', null, 4], ['16', 'lost', 3]);
  expect(lastOfEachWeek(snapshots).map(({ id }) => id)).toEqual([5]);
});

test('the week before is the last earlier one that can be read, whatever was withdrawn', () => {
  const snapshots = list(
    ['24', 'mistaken', 6],
    ['23', null, 5],
    ['17', 'lost', 4],
    ['16', 'pruned', 3],
    ['09', null, 2],
  );
  expect(weekBefore(snapshots, snapshots[1]!)?.id).toBe(2);
  expect(weekBefore(snapshots, snapshots[0]!)?.id).toBe(2);
  expect(weekBefore(snapshots, snapshots[4]!)).toBeNull();
});
