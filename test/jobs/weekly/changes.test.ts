import { expect, test } from 'vitest';
import { engineShifts, isUnusual } from '../../../jobs/weekly/checks/engine-shifts.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';

test('a shift is unusual from three standard deviations on, and from five brands on', () => {
  const unit = BigInt(CYCLES_MULTIPLE);
  // Of equal brands, each with a variance of 1: z is tenths / 10 · √brands.
  const isUnusualFor = (brands: number, tenths: number) => {
    const difference = (BigInt(tenths) * unit) / 10n;
    const deviation = { engine: 'gemini' as const, difference, variance: unit ** 2n, modelsChanged: null };
    return isUnusual(engineShifts(Array.from({ length: brands }, () => deviation))[0]!);
  };
  const found = [
    isUnusualFor(9, 10),
    isUnusualFor(9, 9),
    isUnusualFor(9, -10),
    isUnusualFor(5, 30),
    isUnusualFor(4, 30),
  ];
  expect(found).toEqual([true, false, true, true, false]);
});
