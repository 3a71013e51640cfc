import { Failure } from '../lib/failure.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { readKey, snapshotsPrefix } from './layout.ts';
import { readPointer } from './read.ts';
import type { CurrentPointer } from './read.ts';

/** What an operator does about a head that is missing or refused. */
export const REMEDY = 'run verify, and publish with --adopt SNAPSHOT to continue from a snapshot on purpose';

/**
 * The pointer of a workspace; null if nothing was published yet, even if its first publication is running or was
 * killed.
 * @throws Failure if the pointer of published snapshots is missing, or cannot be read.
 */
export async function readCurrentPointer(
  store: ObjectStore,
  workspaceId: string,
): Promise<CurrentPointer | null> {
  const pointer = await readPointer(store, workspaceId);
  if (pointer !== null || !(await hasPublished(store, workspaceId))) return pointer;
  // Another job may have published the first snapshot after the pointer was read.
  const written = await readPointer(store, workspaceId);
  if (written !== null) return written;
  throw new Failure(
    `workspace ${workspaceId} has no pointer in ${store.url}, but snapshots of it were published; ${REMEDY}`,
  );
}

/**
 * True if objects show that snapshots were published: a receipt, or the history of a snapshot that was not the first.
 */
async function hasPublished(store: ObjectStore, workspaceId: string): Promise<boolean> {
  for await (const { key } of store.list(snapshotsPrefix(workspaceId))) {
    const part = readKey(key)?.part;
    if (part === 'receipt' || part === 'history') return true;
  }
  return false;
}
