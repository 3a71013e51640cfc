/** The formulas of the methodology again, in fractions of bigints and whole-number roots to 40 digits. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

const DIGITS = 10n ** 40n;
const Z = { numerator: 1_959_963_984_540_054n, denominator: 10n ** 15n };
const STUDENT = [3182446n, 2776445n, 2570582n, 2446912n, 2364624n, 2306004n, 2262157n, 2228139n, 2200985n];

/** As a decimal text, half away from zero. */
export function roundFraction({ numerator, denominator }: Fraction, decimals: number): string {
  const isNegative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const scaled = n * 10n ** BigInt(decimals);
  const rounded = scaled / d + ((scaled % d) * 2n >= d ? 1n : 0n);
  return `${isNegative && rounded !== 0n ? '-' : ''}${rounded}e-${decimals}`;
}

/** The value that a double holds. */
export function exactFraction(double: number): Fraction {
  let numerator = double;
  let denominator = 1n;
  for (; !Number.isInteger(numerator); numerator *= 2) denominator *= 2n;
  return { numerator: BigInt(numerator), denominator };
}

const whole = (value: number | bigint): Fraction => ({ numerator: BigInt(value), denominator: 1n });
const plus = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
const times = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});
const over = (a: Fraction, b: Fraction): Fraction =>
  times(a, { numerator: b.denominator, denominator: b.numerator });
const minus = (a: Fraction, b: Fraction): Fraction => plus(a, times(whole(-1), b));
const isLess = (a: Fraction, b: Fraction): boolean => minus(a, b).numerator < 0n;
const larger = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a);
const smaller = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? a : b);

function root(value: Fraction): Fraction {
  const target = (value.numerator * DIGITS * DIGITS) / value.denominator;
  if (target === 0n) return whole(0);
  let guess = 1n << BigInt(Math.ceil(target.toString(2).length / 2));
  for (;;) {
    const next = (guess + target / guess) / 2n;
    if (next >= guess) return { numerator: guess, denominator: DIGITS };
    guess = next;
  }
}

/** In percent. */
export function wilsonReference(x: number, n: number): { low: Fraction; high: Fraction } {
  const p = over(whole(x), whole(n));
  const zz = times(Z, Z);
  const d = plus(whole(1), over(zz, whole(n)));
  const centre = over(plus(p, over(zz, whole(2 * n))), d);
  const spread = over(times(p, minus(whole(1), p)), whole(n));
  const inside = plus(spread, over(zz, whole(4n * BigInt(n) * BigInt(n))));
  const half = times(over(Z, d), root(inside));
  return {
    low: x === 0 ? whole(0) : times(whole(100), larger(whole(0), minus(centre, half))),
    high: x === n ? whole(100) : times(whole(100), smaller(whole(1), plus(centre, half))),
  };
}

/** In percent. */
export function bandReference(
  scores: readonly number[],
  answered: number,
): { low: Fraction; high: Fraction } {
  const k = scores.length;
  const exact = scores.map((score) => ({
    numerator: BigInt(score.toFixed(1).replace('.', '')),
    denominator: 10n,
  }));
  const mean = over(exact.reduce(plus, whole(0)), whole(k));
  const squares = exact.map((score) => times(minus(score, mean), minus(score, mean)));
  const deviation = root(over(squares.reduce(plus, whole(0)), whole(k - 1)));
  const n = whole(answered);
  const p = over(plus(over(times(n, mean), whole(100)), whole(2)), plus(n, whole(4)));
  const e = times(whole(100), root(over(times(p, minus(whole(1), p)), plus(n, whole(4)))));
  const student = { numerator: STUDENT[k - 4]!, denominator: 1_000_000n };
  const wider = larger(times(student, deviation), times(Z, e));
  const half = times(wider, root(plus(whole(1), over(whole(1), whole(k)))));
  return { low: larger(whole(0), minus(mean, half)), high: smaller(whole(100), plus(mean, half)) };
}
