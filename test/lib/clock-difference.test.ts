import { expect, test } from 'vitest';
import { clockDifference } from '../../lib/clock-difference.ts';

/* Another clock was read between 10,000 and 10,300 of this one, in steps of 100. */
test.each([
  [5000, 4900],
  [9899, 1],
  [9900, 0],
  [10_300, 0],
  [10_301, -1],
  [12_000, -1700],
])('a clock that shows %i differs by %i at least', (theirs, least) => {
  expect(clockDifference({ theirs, before: 10_000, after: 10_300, stepMs: 100 })).toBe(least);
});
