import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { behindLeader } from '../../../lib/methodology/behind-leader.ts';
import type { ByPrompt } from '../../../lib/methodology/behind-leader.ts';
import { nearestDouble, studentQuantile } from '../../../lib/methodology/exact.ts';

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

/** The mentions of each brand, by prompt. */
type Counts = readonly (readonly number[])[];

function productOf(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, count, prompt) => sum + count * b[prompt]!, 0);
}

function rowsOf(counts: Counts): ByPrompt[] {
  const ones = counts[0]!.map(() => 1);
  const all = ones.map((_, prompt) => counts.reduce((sum, row) => sum + row[prompt]!, 0));
  return counts.map((row) => ({
    mentions: productOf(row, ones),
    prompts: row.length,
    withItself: BigInt(productOf(row, row)),
    withLeader: BigInt(productOf(row, counts[0]!)),
    withAll: BigInt(productOf(row, all)),
  }));
}

const brands = fc.integer({ min: 5, max: 40 }).chain((prompts) => {
  const brand = fc.array(fc.nat(6), { minLength: prompts, maxLength: prompts });
  return fc.tuple(brand, brand);
});

test('behindLeader is the gap with the interval of a ratio estimate by prompt', () => {
  fc.assert(
    fc.property(brands, ([leader, other]) => {
      const prompts = leader.length;
      const all = leader.map((count, prompt) => count + other[prompt]!);
      const total = all.reduce((sum, count) => sum + count, 0);
      fc.pre(total > 0);
      const gap = leader.reduce((sum, count, prompt) => sum + count - other[prompt]!, 0) / total;
      const rests = all.map((count, prompt) => leader[prompt]! - other[prompt]! - gap * count);
      const variance = (prompts / (prompts - 1)) * productOf(rests, rests);
      const half = (studentQuantile(prompts - 1) * Math.sqrt(variance)) / total;
      fc.pre(Math.abs(gap - half) > 1e-9);
      const [first, found] = behindLeader(rowsOf([leader, other]))!;
      const { gapPp, lowPp, highPp, isBehind } = found!;
      const errors = [gapPp - 100 * gap, lowPp - 100 * (gap - half), highPp - 100 * (gap + half)];
      expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.0501);
      expect([first, isBehind]).toEqual([null, gap > half]);
    }),
    { numRuns: 500 },
  );
});

test('behindLeader judges from 5 prompts with mentions on, and equal brands are not behind', () => {
  expect(behindLeader([])).toBeNull();
  const ones = [1, 1, 1, 1];
  expect(behindLeader(rowsOf([ones, ones]))).toBeNull();
  const found = behindLeader(
    rowsOf([
      [...ones, 1],
      [...ones, 1],
    ]),
  );
  expect(found).toEqual([null, { gapPp: 0, lowPp: 0, highPp: 0, isBehind: false }]);
});
