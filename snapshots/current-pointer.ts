import { Failure } from '../lib/failure.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { readKey, snapshotsPrefix } from './layout.ts';
import { readPointer } from './read.ts';
import type { CurrentPointer } from './read.ts';

/** What an operator does about a head that is missing or refused. */
export const REMEDY = 'run verify, and publish with --adopt SNAPSHOT to continue from a snapshot on purpose';

/** Objects that exist only if a snapshot was published: a history is of one that was not the first. */
const PUBLISHED: readonly string[] = ['receipt', 'history'];

/** Also objects that the first publication writes before the pointer. */
export const PUBLISHED_OR_BEGUN: readonly string[] = [...PUBLISHED, 'manifest', 'alternateManifest'];

/**
 * The pointer of a workspace; null if nothing was published yet.
 * @param evidence the parts of a snapshot that show that there must be a pointer. By default a first publication that
 * is running, or was killed, counts as nothing.
 * @throws Failure if the pointer is missing although there is evidence, or cannot be read.
 */
export async function readCurrentPointer(
  store: ObjectStore,
  workspaceId: string,
  evidence = PUBLISHED,
): Promise<CurrentPointer | null> {
  const pointer = await readPointer(store, workspaceId);
  if (pointer !== null || !(await hasPart(store, workspaceId, evidence))) return pointer;
  // Another job may have published the first snapshot after the pointer was read.
  const written = await readPointer(store, workspaceId);
  if (written !== null) return written;
  throw new Failure(`workspace ${workspaceId} has snapshots in ${store.url}, but no pointer; ${REMEDY}`);
}

async function hasPart(store: ObjectStore, workspaceId: string, wanted: readonly string[]): Promise<boolean> {
  for await (const { key } of store.list(snapshotsPrefix(workspaceId))) {
    if (wanted.includes(readKey(key)?.part ?? '')) return true;
  }
  return false;
}
