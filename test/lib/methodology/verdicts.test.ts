import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_PRIOR_SCORES } from '../../../lib/methodology/constants.ts';
import { nearestDouble, studentQuantile } from '../../../lib/methodology/exact.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';

const natural = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 53n }), fc.bigInt({ min: 0n, max: 2n ** 140n }));

/** A double as a fraction, exactly. */
function fractionOf(value: number): [bigint, bigint] {
  let [top, bottom] = [value, 1n];
  for (; !Number.isInteger(top); bottom *= 2n) top *= 2;
  return [BigInt(top), bottom];
}

function distance(value: number, numerator: bigint, denominator: bigint) {
  const [top, bottom] = fractionOf(value);
  const difference = top * denominator - numerator * bottom;
  return { size: difference < 0n ? -difference : difference, bottom };
}

test('nearestDouble: no neighbouring double is nearer to the quotient', () => {
  fc.assert(
    fc.property(natural, natural, (numerator, less) => {
      const denominator = less + 1n;
      const found = nearestDouble(numerator, denominator);
      const own = distance(found, numerator, denominator);
      for (const factor of [1 - 2 ** -53, 1 + 2 ** -52]) {
        const other = distance(found * factor, numerator, denominator);
        expect(own.size * other.bottom <= other.size * own.bottom).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
  expect([nearestDouble(0n, 7n), nearestDouble(2n ** 53n + 1n, 1n), nearestDouble(1n, 3n)]).toEqual([
    0,
    2 ** 53,
    1 / 3,
  ]);
});

test('studentQuantile takes the largest degrees of freedom of the table that are not above the given ones', () => {
  const given = [3, 11, 12, 30, 31, 39, 40, 59, 60, 119, 120, 5000];
  expect(given.map(studentQuantile)).toEqual([
    3.182446, 2.200985, 2.178813, 2.042272, 2.042272, 2.042272, 2.021075, 2.021075, 2.000298, 2.000298,
    1.97993, 1.97993,
  ]);
});

test('every number of cycles in which a prompt can be compared divides the common multiple', () => {
  const cycles = Array.from({ length: MAX_PRIOR_SCORES + 1 }, (_, index) => index + 1);
  expect(cycles.filter((number) => CYCLES_MULTIPLE % number !== 0)).toEqual([]);
});
