import type { Clock } from '../../../lib/clock.ts';
import type { Committed } from './committed.ts';

/** A deletion that takes longer has been killed. */
export const DELETION_MS = 60 * 60_000;

/** True while unpublished objects are being deleted: no commit may be made. */
export function isDeleting({ deletingSince }: Pick<Committed, 'deletingSince'>, clock: Clock): boolean {
  return deletingSince !== null && clock.now() - Date.parse(deletingSince) < DELETION_MS;
}
