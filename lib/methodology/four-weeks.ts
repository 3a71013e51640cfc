import type { Visibility } from '../documents/visibility.ts';
import { MIN_PROMPTS_FOUR_WEEKS, MIN_SCORES_FOUR_WEEKS } from './constants.ts';
import { roundRatio, studentQuantile } from './exact.ts';
import { CYCLES_MULTIPLE } from './same-prompts.ts';

type FourWeeks = NonNullable<Visibility['perEngine'][number]['fourWeeks']>;

/** Sums over the prompts that were answered in the newest four scored cycles and in the earlier ones. */
export interface FourWeeksCounts {
  prompts: number;
  /** In how many of the newest four they named the brand. */
  named: number;
  /** What their cycles together let one expect of that, times {@link CYCLES_MULTIPLE}. */
  expected: bigint;
  /** The sum of the squares of each prompt's difference between the two, times its square. */
  squares: bigint;
}

/** Decimals of the quantiles. */
const QUANTILE_UNIT = 1_000_000;

/**
 * The newest four scored cycles compared with those before, judged by prompt (methodology, Questions). Null with too few
 * cycles or prompts.
 * @param scores of the engine, the latest included
 */
export function fourWeeks(scores: number, counts: FourWeeksCounts): FourWeeks | null {
  const { prompts, named, expected, squares } = counts;
  if (scores < MIN_SCORES_FOUR_WEEKS || prompts < MIN_PROMPTS_FOUR_WEEKS) return null;
  const multiple = BigInt(CYCLES_MULTIPLE);
  const difference = BigInt(named) * multiple - expected;
  const quantile = BigInt(Math.round(studentQuantile(prompts - 1) * QUANTILE_UNIT));
  const n = BigInt(prompts);
  const isSignificant =
    difference ** 2n * (n - 1n) * BigInt(QUANTILE_UNIT) ** 2n > quantile ** 2n * n * squares;
  return { prompts, named, expected: roundRatio(expected, multiple, 1), isSignificant };
}
