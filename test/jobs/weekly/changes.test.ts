import { expect, test } from 'vitest';
import { engineShifts, isUnusual, shiftInWords } from '../../../jobs/weekly/checks/engine-shifts.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';

test('a shift is unusual from three standard deviations on, and from five brands on', () => {
  const unit = BigInt(CYCLES_MULTIPLE);
  const by = (difference: bigint) =>
    ({ engine: 'gemini', difference, variance: unit ** 2n, modelsChanged: null }) as const;
  // Of equal brands, each with a variance of 1: z is tenths / 10 · √brands.
  const unusual = (brands: number, tenths: number) =>
    isUnusual(engineShifts(Array.from({ length: brands }, () => by((BigInt(tenths) * unit) / 10n)))[0]!);
  const found = [unusual(9, 10), unusual(9, 9), unusual(9, -10), unusual(5, 30), unusual(4, 30)];
  expect(found).toEqual([true, false, true, true, false]);
  expect(shiftInWords(engineShifts([by(unit), by(0n)])[0]!)).toBe(
    'gemini: 1 of 2 brands moved up; their models are not known: add an event',
  );
});
