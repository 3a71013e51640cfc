import pMap from 'p-map';
import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey, snapshotPrefix } from '../layout.ts';
import { isWorkspaceEntry } from '../log/entries.ts';
import { readEntries } from '../log/read.ts';
import { readCommitted } from '../log/write/committed.ts';
import { readState } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';

const DELETIONS_AT_ONCE = 16;

async function deleteAll(store: ObjectStore, keys: readonly string[]): Promise<void> {
  await pMap(keys, async (key) => await store.delete(key), { concurrency: DELETIONS_AT_ONCE });
}

async function keysBelow(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await Array.fromAsync(store.list(prefix))).map(({ key }) => key);
}

/** Deletes the documents of a snapshot that the log says is pruned. Its id is never published again. */
export async function deleteDocuments(
  store: ObjectStore,
  workspaceId: string,
  snapshotId: string,
): Promise<void> {
  const keys = await keysBelow(store, snapshotPrefix(workspaceId, snapshotId));
  await deleteAll(
    store,
    keys.filter((key) => !key.endsWith('.manifest.json')),
  );
}

/**
 * Deletes all objects of the removed snapshots of a workspace, and its histories but the newest, which has only ids and
 * hashes.
 */
export async function deleteRemoved(
  { store, lake, origin }: CommitParts,
  workspaceId: string,
): Promise<void> {
  const state = await readState(lake, origin, await readCommitted(lake, origin));
  const { publications } = await state.historyOf(workspaceId);
  const removed = publications.filter(({ withdrawn }) => withdrawn?.reason === 'removed');
  for (const { snapshotId } of removed)
    await deleteAll(store, await keysBelow(store, snapshotPrefix(workspaceId, snapshotId)));
  // Not those that no entry names: a publication may be about to name one.
  const histories = new Set<string>();
  for await (const { entry } of readEntries(store, state.committed!.checkpoint.size))
    if (isWorkspaceEntry(entry) && entry.workspaceId === workspaceId) histories.add(entry.history);
  histories.delete(state.heads.get(workspaceId)!);
  await deleteAll(
    store,
    [...histories].map((hash) => historyKey(workspaceId, hash)),
  );
}
