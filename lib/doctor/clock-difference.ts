import { ok, failure, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** One reading of another machine's clock. All times are milliseconds since the Unix epoch. */
export interface ClockReading {
  theirs: number;
  /** This machine's clock before the request, and after the response. */
  before: number;
  after: number;
  /** The resolution of the other clock. */
  stepMs: number;
}

const NOTICEABLE_MS = 2000;
export const HARMFUL_MS = 60_000;

/** How far this machine's clock is ahead (negative: behind), at least, in milliseconds; 0 if no difference is seen. */
export function clockDifference({ theirs, before, after, stepMs }: ClockReading): number {
  const [least, most] = [before - theirs - stepMs, after - theirs];
  return least > 0 ? least : Math.min(most, 0);
}

/**
 * Compares this machine's clock with another one, as precisely as the response time allows. A difference of 2 s is a
 * warning, of 60 s a failure.
 * @param whose the owner of the other clock, for the message
 */
export function judgeClock(subject: string, whose: string, reading: ClockReading): Finding {
  const ahead = clockDifference(reading);
  const apart = Math.abs(ahead);
  const difference = apart === 0 ? 'no difference to be seen' : `${(apart / 1000).toFixed(1)} s`;
  const found =
    apart === 0
      ? `${difference} from ${whose}`
      : `this machine is ${difference} ${ahead > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const remedy = 'set the clocks by NTP (timedatectl set-ntp true): minutes and as-of times depend on them';
  if (apart < NOTICEABLE_MS) return ok(subject, found);
  return (apart < HARMFUL_MS ? warning : failure)(subject, found, remedy);
}
