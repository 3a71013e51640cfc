/** Rounding, half away from zero on the exact value (methodology, Numbers). */
export interface Fraction {
  top: bigint;
  bottom: bigint;
}

export function fraction(top: number | bigint, bottom: number | bigint): Fraction {
  return { top: BigInt(top), bottom: BigInt(bottom) };
}

export function add(a: Fraction, b: Fraction): Fraction {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom };
}

export function round({ top, bottom }: Fraction, decimals: number): number {
  const sign = top < 0n !== bottom < 0n ? -1n : 1n;
  const scaled = (top < 0n ? -top : top) * 10n ** BigInt(decimals);
  const size = bottom < 0n ? -bottom : bottom;
  const whole = scaled / size + (2n * (scaled % size) >= size ? 1n : 0n);
  return Number(`${sign * whole}e-${decimals}`) + 0;
}

/** A fraction that is not negative as the nearest double: 60 digits, and one more that stands for all others. */
export function nearest({ top, bottom }: Fraction): number {
  const scale = 60 + bottom.toString().length;
  const scaled = top * 10n ** BigInt(scale);
  return Number(`${scaled / bottom}${scaled % bottom === 0n ? 0 : 1}e-${scale + 1}`);
}

/** The same for a double, on its exact binary value. */
export function roundDouble(value: number, decimals: number): number {
  let top = value;
  let bottom = 1n;
  while (!Number.isInteger(top)) {
    top *= 2;
    bottom *= 2n;
  }
  return round({ top: BigInt(top), bottom }, decimals);
}

/** A published number with one decimal as a fraction. */
export function published(value: number): Fraction {
  return fraction(Math.round(value * 10), 10);
}

export const z = 1.959963984540054;

/** Student's 97.5 % quantiles for 3 to 30, 40, 60 and 120 degrees of freedom, as decimals. */
const quantiles =
  '3.182446 2.776445 2.570582 2.446912 2.364624 2.306004 2.262157 2.228139 2.200985 2.178813 2.160369 2.144787 2.131450 2.119905 2.109816 2.100922 2.093024 2.085963 2.079614 2.073873 2.068658 2.063899 2.059539 2.055529 2.051831 2.048407 2.045230 2.042272'
    .split(' ')
    .map((quantile, index): [number, string] => [index + 3, quantile])
    .concat([
      [40, '2.021075'],
      [60, '2.000298'],
      [120, '1.979930'],
    ]);

/** @param freedom degrees of freedom, 3 or more; between two of the table, the lower one's. */
export function studentQuantile(freedom: number): string {
  return quantiles.findLast(([least]) => least <= freedom)![1];
}
