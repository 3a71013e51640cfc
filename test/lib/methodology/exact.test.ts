import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  driftBand,
  nearestDouble,
  roundDouble,
  roundRatio,
  studentQuantile,
  wilson,
} from '../../../lib/methodology/exact.ts';
import {
  fraction,
  nearest,
  round,
  roundDouble as roundDoubleOfReference,
  studentQuantile as quantileOfReference,
} from '../../reference/number.ts';
import { bandOf } from '../../reference/visibility.ts';
import { wilson as wilsonOfReference } from '../../reference/window.ts';

const decimals = fc.integer({ min: 0, max: 4 });
const natural = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 53n }), fc.bigInt({ min: 0n, max: 2n ** 140n }));

test('roundRatio is the rounding of the exact fraction, half away from zero, for counts of any size', () => {
  const [large, small] = [2n ** 90n, 2000];
  const count = fc.oneof(fc.bigInt({ min: -large, max: large }), fc.integer({ min: -small, max: small }));
  const nonZero = count.filter((each) => BigInt(each) !== 0n);
  fc.assert(
    fc.property(count, nonZero, decimals, (numerator, denominator, places) => {
      const expected = round(fraction(numerator, denominator), places);
      expect(roundRatio(numerator, denominator, places)).toBe(expected);
    }),
    { numRuns: 4000 },
  );
});

test('roundDouble is the rounding of the exact value that the double holds', () => {
  const value = fc.oneof(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((eighths) => eighths / 8),
    fc.constantFrom(-0, 1.005, 1e21),
  );
  fc.assert(
    fc.property(value, decimals, (double, places) => {
      expect(roundDouble(double, places)).toBe(roundDoubleOfReference(double, places));
    }),
    { numRuns: 3000 },
  );
});

test('nearestDouble is the double nearest to the quotient', () => {
  fc.assert(
    fc.property(natural, natural, (numerator, less) => {
      const denominator = less + 1n;
      expect(nearestDouble(numerator, denominator)).toBe(nearest(fraction(numerator, denominator)));
    }),
    { numRuns: 2000 },
  );
  expect(nearestDouble(2n ** 53n + 1n, 1n)).toBe(2 ** 53);
});

test('studentQuantile takes the largest degrees of freedom of the table that are not above the given ones', () => {
  const given = Array.from({ length: 200 }, (_, index) => index + 3);
  expect(given.map(studentQuantile)).toEqual(given.map((freedom) => Number(quantileOfReference(freedom))));
});

test('wilson is the interval of the methodology, for shares of any size', () => {
  const shares = fc
    .oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1_000_000 }))
    .chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));
  fc.assert(
    fc.property(shares, ([x, n]) => {
      const [found, expected] = [wilson(x, n), wilsonOfReference(x, n)];
      expect(found.low).toBeCloseTo(expected.low, 12);
      expect(found.high).toBeCloseTo(expected.high, 12);
      expect([found.low === 0, found.high === 1]).toEqual([x === 0, x === n]);
    }),
    { numRuns: 2000 },
  );
});

test('driftBand is the wider of the two bands of the methodology, in any order of the scores', () => {
  const score = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10);
  const steps = fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 4, maxLength: 12 });
  const alike = fc
    .tuple(score, steps)
    .map(([level, all]) => all.map((step) => Math.min(100, Math.max(0, level + step / 10))));
  const priors = fc.oneof(fc.array(score, { minLength: 4, maxLength: 12 }), alike);
  fc.assert(
    fc.property(priors, fc.integer({ min: 1, max: 500 }), (given, answered) => {
      const scores = given.map((each) => roundDouble(each, 1));
      const band = driftBand(scores, answered)!;
      const expected = bandOf(scores, answered)!;
      expect(band.low).toBeCloseTo(expected.low, 8);
      expect(band.high).toBeCloseTo(expected.high, 8);
      expect(driftBand(scores.toReversed(), answered)).toEqual(band);
    }),
    { numRuns: 2000 },
  );
});
