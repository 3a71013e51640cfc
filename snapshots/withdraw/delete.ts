import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey, snapshotPrefix, snapshotsPrefix } from '../layout.ts';
import { isWorkspaceEntry } from '../log/entries.ts';
import { encodeHistory } from '../log/history.ts';
import type { History } from '../log/history.ts';
import { readEntries } from '../log/read.ts';
import { withCommitted } from '../log/write/committed.ts';
import { readState } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { keysBelow } from '../read.ts';

async function deleteAll(store: ObjectStore, keys: readonly string[]): Promise<void> {
  await manyAtOnce(keys, async (key) => await store.delete(key));
}

/** The histories as committed; a commit that replaces one meanwhile is no failure. */
export async function historiesOf(parts: CommitParts, workspaceIds: readonly string[]): Promise<History[]> {
  return await withCommitted(parts, async (committed) => {
    const state = await readState(parts.lake, parts.origin, committed);
    return await manyAtOnce(workspaceIds, async (id) => await state.historyOf(id));
  });
}

/** Deletes the documents of snapshots that the log says are pruned. Their ids are never published again. */
export async function deleteDocuments(
  store: ObjectStore,
  workspaceId: string,
  snapshotIds: readonly string[],
): Promise<void> {
  const prefixes = snapshotIds.map((id) => snapshotPrefix(workspaceId, id));
  const isDue = (key: string) =>
    !key.endsWith('.manifest.json') && prefixes.some((prefix) => key.startsWith(prefix));
  if (prefixes.length > 0)
    await deleteAll(store, (await keysBelow(store, snapshotsPrefix(workspaceId))).filter(isDue));
}

/**
 * Deletes all objects of the removed snapshots of a workspace, and its histories but the newest, which has only ids and
 * hashes.
 */
export async function deleteRemoved(parts: CommitParts, workspaceId: string): Promise<void> {
  const { store, lake, origin } = parts;
  const { history, size } = await withCommitted(parts, async (committed) => ({
    history: await (await readState(lake, origin, committed)).historyOf(workspaceId),
    size: committed!.checkpoint.size,
  }));
  const removed = history.publications.filter(({ withdrawn }) => withdrawn?.reason === 'removed');
  for (const { snapshotId } of removed)
    await deleteAll(store, await keysBelow(store, snapshotPrefix(workspaceId, snapshotId)));
  // Not those that no entry names: a publication may be about to name one.
  const histories = new Set<string>();
  for await (const { entry } of readEntries(store, size))
    if (isWorkspaceEntry(entry) && entry.workspaceId === workspaceId) histories.add(entry.history);
  histories.delete(sha256(encodeHistory(history)));
  await deleteAll(
    store,
    [...histories].map((hash) => historyKey(workspaceId, hash)),
  );
}
