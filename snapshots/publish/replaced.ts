import type { Clock } from '../../lib/clock.ts';
import { handleFailure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { isNamedByHash } from '../layout.ts';

/** Readers may hold a head that is as old as this; they look for newer ones every few seconds. */
const SUPERSEDED_MS = 86_400_000;

/** True if readers no longer hold what was replaced, or left, at this time. */
export function isOutdated(since: number, clock: Clock): boolean {
  return clock.now() - since > SUPERSEDED_MS;
}

/**
 * Deletes heads, or the histories of a workspace, that were replaced more than a day ago. None is ever written again: each
 * depends on the time of its newest entry. What another command has committed meanwhile is newer, so it stays
 * whatever the clock of this machine says.
 * @param newest the key of the one that replaced them
 */
export async function dropReplaced(
  store: ObjectStore,
  prefix: string,
  newest: string,
  clock: Clock,
): Promise<void> {
  const drop = async () => {
    const listed = await Array.fromAsync(store.list(prefix));
    const replacedAt = listed.find(({ key }) => key === newest)?.modifiedAt;
    if (replacedAt === undefined || !isOutdated(replacedAt, clock)) return;
    for (const { key, modifiedAt } of listed)
      if (modifiedAt < replacedAt && isNamedByHash(key)) await store.delete(key);
  };
  // What was published is published, whether or not what it replaced can be deleted.
  await handleFailure(drop, () => undefined);
}
