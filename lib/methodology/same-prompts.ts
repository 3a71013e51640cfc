import type { Visibility } from '../documents/visibility.ts';
import { nearestDouble, roundDouble, roundRatio } from './exact.ts';

type SamePrompts = NonNullable<Visibility['perEngine'][number]['samePrompts']>;

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
  /** Of each prompt, in the order of ids: the cycles in which it was answered, and those of them that named the brand. */
  cycles: readonly number[];
  namedCycles: readonly number[];
}

/** The latest cycle compared with the same prompts' earlier cycles. `p` is not rounded: engines are judged together by it. */
interface ComparedPrompts {
  samePrompts: SamePrompts;
  p: number;
}

/** z of exact.ts, as a decimal fraction. */
const Z = { numerator: 1_959_963_984_540_054n, denominator: 10n ** 15n };
/** A fall by this many standard deviations, and half a prompt, shows in about seven of ten cases. */
const DETECTABLE = 2.8;

/** The latest cycle compared with the same prompts' earlier cycles (methodology, Verdicts and Questions). */
export function samePrompts(counts: SamePromptCounts): ComparedPrompts {
  const { prompts, named, expected, variance } = counts;
  const multiple = BigInt(CYCLES_MULTIPLE);
  const difference = BigInt(named) * multiple - expected;
  // Everything is doubled, for the continuity correction of a half.
  const excess = 2n * (difference < 0n ? -difference : difference) - multiple;
  const isSignificant = excess > 0n && (excess * Z.denominator) ** 2n > 4n * Z.numerator ** 2n * variance;
  const p = pValue(counts);
  const deviation = Math.sqrt(nearestDouble(variance, multiple ** 2n));
  const detectable = prompts === 0 ? null : Math.min(100, (100 * (DETECTABLE * deviation + 0.5)) / prompts);
  return {
    samePrompts: {
      prompts,
      named,
      expected: roundRatio(expected, multiple, 1),
      isSignificant,
      pValue: roundDouble(p, 4),
      detectablePp: detectable === null ? null : roundDouble(detectable, 1),
    },
    p,
  };
}

/** How often as extreme a number of prompts names the brand by chance, two-sided, with half of the chance of that number itself. */
function pValue({ named, cycles, namedCycles }: SamePromptCounts): number {
  const chances = chancesOf(cycles.map((answered, index) => namedCycles[index]! / answered));
  const half = chances[named]! / 2;
  const below = sumOf(chances.slice(0, named)) + half;
  const above = sumOf(chances.slice(named + 1)) + half;
  return Math.min(1, 2 * Math.min(below, above));
}

/** In the given order, which decides the last bits. */
function sumOf(chances: readonly number[]): number {
  return chances.reduce((total, chance) => total + chance, 0);
}

/** The chance of each number of successes, from 0 on, of independent draws with these shares; the order decides the last bits. */
function chancesOf(shares: readonly number[]): number[] {
  const chances = [1];
  for (const share of shares) {
    chances.push(0);
    for (let k = chances.length - 1; k > 0; k--)
      chances[k] = chances[k]! * (1 - share) + chances[k - 1]! * share;
    chances[0] = chances[0]! * (1 - share);
  }
  return chances;
}
