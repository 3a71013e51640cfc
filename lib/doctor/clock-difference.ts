import { ok, failure, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** What another clock said, and what ours said before it was asked and after it had answered, in milliseconds. */
export interface ClockReading {
  theirs: number;
  before: number;
  after: number;
  /** The smallest step that the other clock shows. */
  stepMs: number;
}

const NOTICEABLE_MS = 2000;
const HARMFUL_MS = 60_000;

/** How far this machine's clock is from another one, within the precision that the response time allows. */
export function judgeClock(subject: string, whose: string, reading: ClockReading): Finding {
  const { theirs, before, after, stepMs } = reading;
  const [least, most] = [before - theirs - stepMs, after - theirs];
  const apart = least > 0 ? least : most < 0 ? -most : 0;
  const difference = apart === 0 ? 'no difference to be seen' : `${(apart / 1000).toFixed(1)} s`;
  const found =
    apart === 0
      ? `${difference} from ${whose}`
      : `this machine is ${difference} ${least > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const remedy = 'set the clocks by NTP (timedatectl set-ntp true): minutes and as-of times depend on them';
  if (apart < NOTICEABLE_MS) return ok(subject, found);
  return (apart < HARMFUL_MS ? warning : failure)(subject, found, remedy);
}
