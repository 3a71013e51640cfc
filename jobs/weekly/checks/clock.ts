import type { Clock } from '../../../lib/clock.ts';
import { clockDifference, HARMFUL_MS } from '../../../lib/clock-difference.ts';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';

/**
 * Compares this machine's clock with that of the store's server: a clock that is ahead would publish a week that has not
 * come, which then stands in the way of the real one.
 * @throws Failure if they are 60 s apart.
 */
export async function checkClock(store: ObjectStore, clock: Clock): Promise<void> {
  const before = clock.now();
  const theirs = (await store.time?.()) ?? null;
  if (theirs === null) return;
  const ahead = clockDifference({ theirs, before, after: clock.now(), stepMs: 1000 });
  if (Math.abs(ahead) < HARMFUL_MS) return;
  const seconds = Math.round(Math.abs(ahead) / 1000);
  throw new Failure(
    `this machine's clock is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of ${store.url}: nothing was published; set it (timedatectl set-ntp true) and run again`,
  );
}
