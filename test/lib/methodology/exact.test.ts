import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  driftBand,
  nearestDouble,
  roundDouble,
  roundRatio,
  studentQuantile,
  wilson,
} from '../../../lib/methodology/exact.ts';
import { fraction, nearest, studentQuantile as quantileOfReference } from '../../reference/number.ts';
import { bandReference, exactFraction, roundFraction, wilsonReference } from './exact.reference.ts';
import type { Fraction } from './exact.reference.ts';

const decimals = fc.integer({ min: 0, max: 4 });
const count = fc.nat(Number.MAX_SAFE_INTEGER);
const natural = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 53n }), fc.bigInt({ min: 0n, max: 2n ** 140n }));

describe('roundRatio', () => {
  test.each([
    [1225, 100, 1, 12.3],
    [-25, 2, 0, -13],
    [25, -2, 0, -13],
    [-1, 100, 1, 0],
    [2n ** 80n + 1n, 2n ** 81n, 1, 0.5],
    [1005, 1000, 2, 1.01],
  ])('%s / %s to %s decimals is %s', (numerator, denominator, places, expected) => {
    expect(roundRatio(numerator, denominator, places)).toBe(expected);
  });

  test('equals the rounding of the exact fraction, for counts of any size', () => {
    const signed = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -2000, max: 2000 }));
    fc.assert(
      fc.property(signed, fc.oneof(count, fc.nat(2000)), decimals, (numerator, over, places) => {
        const denominator = over + 1 <= Number.MAX_SAFE_INTEGER ? over + 1 : over;
        const exact = { numerator: BigInt(numerator), denominator: BigInt(denominator) };
        expect(roundRatio(numerator, denominator, places)).toBe(Number(roundFraction(exact, places)));
      }),
      { numRuns: 3000 },
    );
  });

  test('a unit below a tie rounds down, also of large numbers', () => {
    const near = fc.tuple(fc.integer({ min: 2 ** 50, max: 2 ** 53 - 2 }), fc.nat(20));
    fc.assert(
      fc.property(near, ([size, whole]) => {
        const steps = 2 * whole + 1;
        const half = Math.floor(size / steps);
        const denominator = 2 * half - 1;
        fc.pre(denominator <= Number.MAX_SAFE_INTEGER);
        const numerator = (BigInt(steps) * BigInt(denominator) - 1n) / 2n;
        expect(roundRatio(Number(numerator), denominator, 0)).toBe(whole);
        expect(roundRatio(Number(numerator) + 1, denominator, 0)).toBe(whole + 1);
      }),
      { numRuns: 500 },
    );
  });
});

describe('roundDouble', () => {
  test.each([
    [-12.25, 1, -12.3],
    [1.005, 2, 1], // the double lies below 1.005
    [-0, 1, 0],
    [1e21, 1, 1e21],
  ])('%s to %s decimals is %s', (value, places, expected) => {
    expect(roundDouble(value, places)).toBe(expected);
  });

  test('equals the rounding of the exact value that the double holds', () => {
    const value = fc.oneof(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.integer({ min: -1_000_000, max: 1_000_000 }).map((eighths) => eighths / 8),
    );
    fc.assert(
      fc.property(value, decimals, (double, places) => {
        expect(roundDouble(double, places)).toBe(Number(roundFraction(exactFraction(double), places)));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([Number.NaN, Infinity, -Infinity])('refuses %s', (value) => {
    expect(() => roundDouble(value, 1)).toThrow(RangeError);
  });
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
  const given = Array.from({ length: 200 }, (_, index) => index + 4);
  expect(given.map(studentQuantile)).toEqual(given.map((freedom) => Number(quantileOfReference(freedom))));
  expect(studentQuantile(3)).toBe(3.182446);
});

/**
 * Null if a computed value (times scale) is within 1e-12 of the exact one and rounds to the same decimal; rounding may
 * differ if the exact value is within 1e-9 of a tie.
 */
function disagreement(computed: number, exact: Fraction, scale: number): string | null {
  const error = Math.abs(computed * scale - Number(roundFraction(exact, 15)));
  const twentieths = Number(roundFraction({ ...exact, numerator: exact.numerator * 20n }, 12));
  const isNearTie = Math.abs(twentieths - Math.round(twentieths)) < 2e-8 && Math.round(twentieths) % 2 !== 0;
  const isPublishedAlike = roundDouble(computed * scale, 1) === Number(roundFraction(exact, 1));
  const agrees = error < 1e-12 * scale && (isPublishedAlike || isNearTie);
  return agrees ? null : `${computed * scale} for ${roundFraction(exact, 15)}`;
}

describe('wilson', () => {
  test('equals the interval computed in exact arithmetic', () => {
    const shares = fc
      .oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 1_000_000 }))
      .chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));
    fc.assert(
      fc.property(shares, ([x, n]) => {
        const exact = wilsonReference(x, n);
        const { low, high } = wilson(x, n);
        expect(disagreement(low, exact.low, 100)).toBeNull();
        expect(disagreement(high, exact.high, 100)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('driftBand', () => {
  const score = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10);
  const priors = fc.array(score, { minLength: 4, maxLength: 12 });
  const answered = fc.integer({ min: 1, max: 500 });

  test.each([[[]], [[40]], [[40, 41, 42]]])('there is none with the prior scores %j', (scores) => {
    expect(driftBand(scores, 25)).toBeNull();
  });

  test('equals the band computed in exact arithmetic', () => {
    const alike = fc
      .tuple(score, fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 4, maxLength: 12 }))
      .map(([level, steps]) =>
        steps.map((step) => Math.min(1000, Math.max(0, Math.round(level * 10) + step)) / 10),
      );
    fc.assert(
      fc.property(fc.oneof(priors, alike), answered, (scores, n) => {
        const exact = bandReference(scores, n);
        const band = driftBand(scores, n)!;
        expect(disagreement(band.low, exact.low, 1)).toBeNull();
        expect(disagreement(band.high, exact.high, 1)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test('refuses more than 12 prior scores', () => {
    expect(() => driftBand(Array<number>(13).fill(40), 25)).toThrow(RangeError);
  });
});
