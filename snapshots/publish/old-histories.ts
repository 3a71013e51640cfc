import type { Clock } from '../../lib/clock.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { HEADS, headsKey, historiesPrefix, historyKey } from '../layout.ts';

/** Readers may hold a head that is as old as this; they look for newer ones every few seconds. */
export const SUPERSEDED_MS = 24 * 60 * 60_000;

/**
 * Deletes the histories of a workspace that were replaced more than a day ago. No history is ever written again: each
 * contains the time of its newest entry.
 * @param newest the SHA-256 of the one that replaced them
 */
export async function dropOldHistories(
  store: ObjectStore,
  workspaceId: string,
  newest: string | undefined,
  clock: Clock,
): Promise<void> {
  if (newest !== undefined)
    await dropReplaced(store, historiesPrefix(workspaceId), historyKey(workspaceId, newest), clock);
}

/** As {@link dropOldHistories}, for heads. */
export async function dropOldHeads(
  store: ObjectStore,
  newest: string | undefined,
  clock: Clock,
): Promise<void> {
  if (newest !== undefined) await dropReplaced(store, HEADS, headsKey(newest), clock);
}

/** What another command has committed meanwhile is newer, so it stays whatever the clock of this machine says. */
async function dropReplaced(store: ObjectStore, prefix: string, newest: string, clock: Clock): Promise<void> {
  const listed = await Array.fromAsync(store.list(prefix));
  const replacedAt = listed.find(({ key }) => key === newest)?.modifiedAt;
  if (replacedAt === undefined || clock.now() - replacedAt <= SUPERSEDED_MS) return;
  for (const { key, modifiedAt } of listed) if (modifiedAt < replacedAt) await store.delete(key);
}
