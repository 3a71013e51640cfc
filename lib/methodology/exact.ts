import { MIN_CYCLES } from './constants.ts';

/**
 * Rounding and intervals (methodology: Numbers, Competitors, Visibility). Every published number passes through here
 * exactly once.
 */

/** The 97.5 % quantile of the normal distribution (methodology, Numbers). */
export const z = 1.959963984540054;

/** Student's 97.5 % quantile from 3 degrees of freedom on (methodology, Visibility and Verdicts). */
const studentQuantiles = [
  3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985, 2.178813,
  2.160369, 2.144787, 2.13145, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658,
  2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.04523, 2.042272,
];
/** The same for larger degrees of freedom, with these and all up to the next. */
const largerQuantiles = [
  [120, 1.97993],
  [60, 2.000298],
  [40, 2.021075],
] as const;

/** @param freedom degrees of freedom, 3 or more; between two of the table, the lower one's quantile */
export function studentQuantile(freedom: number): number {
  const larger = largerQuantiles.find(([least]) => freedom >= least);
  return larger?.[1] ?? studentQuantiles[freedom - 3] ?? studentQuantiles.at(-1)!;
}

/** Both ends are included. */
export interface Interval {
  low: number;
  high: number;
}

/**
 * `numerator / denominator`, rounded to `decimals` decimals, half away from zero, on the exact quotient. Returns the
 * double nearest to that decimal, never −0.
 * @throws RangeError if a number is not whole, or the denominator is zero.
 */
export function roundRatio(
  numerator: number | bigint,
  denominator: number | bigint,
  decimals: number,
): number {
  const [dividend, divisor] = [BigInt(numerator), BigInt(denominator)];
  // A division of bigints cuts towards zero: half is added in the direction of the quotient.
  const half = dividend * divisor < 0n ? -divisor : divisor;
  const rounded = (2n * 10n ** BigInt(decimals) * dividend + half) / (2n * divisor);
  return Number(`${rounded}e-${decimals}`);
}

/**
 * Rounds a double to `decimals` decimals, half away from zero, on its exact binary value; never −0. For irrational
 * values only (Wilson bounds, band edges); use {@link roundRatio} for a ratio of counts.
 */
export function roundDouble(value: number, decimals: number): number {
  // toFixed works on the exact value, and on the magnitude of a negative one; Math.round(x * 10) does neither.
  return Number(value.toFixed(decimals)) + 0;
}

/**
 * The double nearest to `numerator / denominator`, ties to even.
 * @param numerator 0 or more
 * @param denominator above 0
 */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  // At least 64 bits of the quotient, the last of them set if there is a remainder: then Number rounds only once.
  const shift = 64n + BigInt(denominator.toString(2).length);
  const scaled = numerator << shift;
  const sticky = scaled % denominator === 0n ? 0n : 1n;
  return Number((scaled / denominator) | sticky) / 2 ** Number(shift);
}

/**
 * The 95 % Wilson score interval of `x` out of `n` as unrounded shares, 0 to 1: exactly 0 at x = 0 and exactly 1 at
 * x = n; 0 and 0 if n = 0 (methodology, Competitors; E. B. Wilson, Probable Inference, the Law of Succession,
 * and Statistical Inference, JASA 22, 1927).
 */
export function wilson(x: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 0 };
  const p = x / n;
  const d = 1 + (z * z) / n;
  const centre = (p + (z * z) / (2 * n)) / d;
  const half = (z / d) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return { low: x === 0 ? 0 : Math.max(0, centre - half), high: x === n ? 1 : Math.min(1, centre + half) };
}

/**
 * The drift band for a week's score in percent, unrounded and cut to 0…100: the wider of two 95 % prediction bands,
 * one from the spread of the prior scores, one from the plus-four sampling error of a single week (methodology,
 * Visibility). Null with fewer than 4 prior scores: warming up.
 * @param priorScores published scores (one decimal) before the latest, the most recent ones, in any order
 * @param answered prompts answered in the latest cycle
 */
export function driftBand(priorScores: readonly number[], answered: number): Interval | null {
  const k = priorScores.length;
  if (k < MIN_CYCLES) return null;
  // In whole tenths, so that neither sum depends on the order of the scores.
  const tenths = priorScores.map((score) => Math.round(score * 10));
  const sum = tenths.reduce((total, tenth) => total + tenth, 0);
  const squares = tenths.reduce((total, tenth) => total + tenth * tenth, 0);
  const mean = sum / (10 * k);
  const deviation = Math.sqrt((k * squares - sum * sum) / (100 * k * (k - 1)));
  const plusFour = ((answered * mean) / 100 + 2) / (answered + 4);
  const samplingError = 100 * Math.sqrt((plusFour * (1 - plusFour)) / (answered + 4));
  const half = Math.max(studentQuantile(k - 1) * deviation, z * samplingError) * Math.sqrt(1 + 1 / k);
  return { low: Math.max(0, mean - half), high: Math.min(100, mean + half) };
}
