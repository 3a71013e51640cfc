import type { Clock } from '../../lib/clock.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { HEADS, headsKey, historiesPrefix, historyKey } from '../layout.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { readCommitted } from '../log/write/committed.ts';

/** Readers may hold a head that is as old as this; they look for newer ones every few seconds. */
export const SUPERSEDED_MS = 24 * 60 * 60_000;

/**
 * Deletes the histories of a workspace that newer ones replaced a day ago. No history is ever written again: each
 * contains the time of its newest entry.
 * @param newest the SHA-256 of the newest one
 */
export async function dropOldHistories(
  store: ObjectStore,
  workspaceId: string,
  newest: string | undefined,
  clock: Clock,
): Promise<void> {
  if (newest === undefined) return;
  const kept = historyKey(workspaceId, newest);
  for await (const { key, modifiedAt } of store.list(historiesPrefix(workspaceId)))
    if (key !== kept && clock.now() - modifiedAt > SUPERSEDED_MS) await store.delete(key);
}

/** As {@link dropOldHistories}, for heads. */
export async function dropOldHeads({ store, lake, origin, clock }: CommitParts): Promise<void> {
  const committed = await readCommitted(lake, origin);
  if (committed === null) return;
  for await (const { key, modifiedAt } of store.list(HEADS))
    if (key !== headsKey(committed.heads) && clock.now() - modifiedAt > SUPERSEDED_MS)
      await store.delete(key);
}
