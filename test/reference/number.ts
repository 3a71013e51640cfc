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
  return Number(sign * whole) / 10 ** decimals + 0;
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
