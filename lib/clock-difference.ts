/** One reading of another machine's clock. All times are milliseconds since the Unix epoch. */
export interface ClockReading {
  theirs: number;
  /** This machine's clock before the request, and after the response. */
  before: number;
  after: number;
  /** The resolution of the other clock. */
  stepMs: number;
}

/** Clocks that differ by this or more do harm. */
export const HARMFUL_MS = 60_000;

/** How far this machine's clock is ahead (negative: behind), at least, in milliseconds; 0 if no difference is seen. */
export function clockDifference({ theirs, before, after, stepMs }: ClockReading): number {
  const [least, most] = [before - theirs - stepMs, after - theirs];
  return Math.max(least, 0) + Math.min(most, 0);
}
