import { roundRatio } from './exact.ts';

/** A multiple of every number from 1 to 13: of cycles in which a prompt can be compared with itself. */
export const CYCLES_MULTIPLE = 360_360;

/** Of the prompts that were answered in the latest cycle and before, with e the share of cycles that named the brand. */
export interface SamePromptCounts {
  prompts: number;
  /** Those that name the brand in the latest cycle. */
  named: number;
  /** The sum of e, times {@link CYCLES_MULTIPLE}. */
  expected: bigint;
  /** The sum of e·(1 − e), times its square. */
  variance: bigint;
}

/** z of exact.ts, as a decimal fraction. */
const Z = { numerator: 1_959_963_984_540_054n, denominator: 10n ** 15n };

/** The latest cycle compared with the same prompts' earlier cycles (methodology, Verdicts). */
export function samePrompts({ prompts, named, expected, variance }: SamePromptCounts) {
  const multiple = BigInt(CYCLES_MULTIPLE);
  const difference = BigInt(named) * multiple - expected;
  // Everything is doubled, for the continuity correction of a half.
  const excess = 2n * (difference < 0n ? -difference : difference) - multiple;
  const isSignificant = excess > 0n && (excess * Z.denominator) ** 2n > 4n * Z.numerator ** 2n * variance;
  return { prompts, named, expected: roundRatio(expected, multiple, 1), isSignificant };
}
