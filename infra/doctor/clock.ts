import { HARMFUL_MS, clockDifference } from '../../lib/clock-difference.ts';
import type { ClockReading } from '../../lib/clock-difference.ts';
import { failure, ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';

const NOTICEABLE_MS = 2000;

/**
 * Compares this machine's clock with another one, as precisely as the response time allows. A difference of 2 s is a
 * warning, of 60 s a failure.
 * @param whose the owner of the other clock, for the message
 */
export function judgeClock(subject: string, whose: string, reading: ClockReading): Finding {
  const ahead = clockDifference(reading);
  const apart = Math.abs(ahead);
  const seconds = (apart / 1000).toFixed(1);
  const found =
    seconds === '0.0'
      ? `no difference to be seen from ${whose}`
      : `this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const remedy = 'set the clocks by NTP (timedatectl set-ntp true): minutes and as-of times depend on them';
  if (apart < NOTICEABLE_MS) return ok(subject, found);
  return (apart < HARMFUL_MS ? warning : failure)(subject, found, remedy);
}
