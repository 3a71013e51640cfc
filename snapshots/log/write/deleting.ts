import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Committed } from './committed.ts';

/** A deletion that takes longer has been killed. */
export const DELETION_MS = 60 * 60_000;

/** @throws Failure while unpublished objects are being deleted: no commit may be made. */
export function refuseWhileDeleting({ deletingSince }: Pick<Committed, 'deletingSince'>, clock: Clock): void {
  // A clock that was ahead may have written a time that is yet to come.
  if (deletingSince === null || Math.abs(clock.now() - Date.parse(deletingSince)) >= DELETION_MS) return;
  throw new Failure(
    `"audit prune --unpublished" is running since ${deletingSince}; try again when it has ended`,
  );
}
