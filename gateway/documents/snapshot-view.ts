import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, WORKSPACES } from '../../snapshots/layout.ts';
import type { Manifest, Pointer } from '../../snapshots/manifest.ts';
import { readManifest, readPointer } from '../../snapshots/read.ts';

export type DocumentEntry = Manifest['documents'][number];

/** The snapshot that a workspace is served from. */
export interface SnapshotView {
  workspaceId: string;
  /** Null: nothing has been published for the workspace, which therefore has no brands (inputs.md 5). */
  pointer: Pointer | null;
  /** Milliseconds since the Unix epoch; null without a snapshot. */
  asOf: number | null;
  /** By path. */
  documents: ReadonlyMap<string, DocumentEntry>;
}

/**
 * Reads what the pointer names now.
 * @param trust the keys of which one must have signed it; null: signatures are not looked at.
 * @throws Failure where it cannot be read whole, or is not signed as it must be.
 */
export async function readView(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null,
): Promise<SnapshotView> {
  const pointer = await readPointer(store, workspaceId);
  if (pointer !== null) return await viewOf(store, workspaceId, pointer, trust);
  await store.check(); // a folder that is not mounted has no pointers either
  return { workspaceId, pointer: null, asOf: null, documents: new Map() };
}

/**
 * The view that should replace `current`, or `current` itself where the pointer still names it.
 * @throws Failure where what the pointer names cannot be read, or the pointer has gone but the workspace has not.
 */
export async function readNewerView(
  store: ObjectStore,
  current: SnapshotView,
  trust: Trust | null,
): Promise<SnapshotView> {
  const { workspaceId } = current;
  const pointer = await readPointer(store, workspaceId);
  if (pointer === null) {
    if (current.pointer === null || (await wasDeleted(store, workspaceId))) {
      return current.pointer === null ? current : await readView(store, workspaceId, trust);
    }
    throw new Failure(`the pointer of workspace ${workspaceId} has gone from ${store.url}`);
  }
  return pointer.manifestSha256 === current.pointer?.manifestSha256
    ? current
    : await viewOf(store, workspaceId, pointer, trust);
}

/** What X-Snapshot-Id may say: nothing that could end the field. */
const SENDABLE = /^[\x21-\x7e]+$/;

async function viewOf(
  store: ObjectStore,
  workspaceId: string,
  pointer: Pointer,
  trust: Trust | null,
): Promise<SnapshotView> {
  const manifest = await readManifest(store, workspaceId, pointer, trust);
  if (manifest.workspaceId !== workspaceId || manifest.snapshotId !== pointer.snapshotId) {
    throw new Failure(`the pointer of workspace ${workspaceId} names the manifest of another snapshot`);
  }
  if (!SENDABLE.test(manifest.snapshotId)) {
    throw new Failure(`a snapshot of workspace ${workspaceId} has an id that no header can hold`);
  }
  const documents = new Map(manifest.documents.map((document) => [document.path, document]));
  if (!documents.has(BRANDS_PATH)) {
    throw new Failure(`snapshot ${manifest.snapshotId} of workspace ${workspaceId} has no ${BRANDS_PATH}`);
  }
  return { workspaceId, pointer, asOf: Date.parse(manifest.asOf), documents };
}

/** A workspace was deleted on purpose where the store still has others but nothing of this one. */
async function wasDeleted(store: ObjectStore, workspaceId: string): Promise<boolean> {
  const workspaces = await store.folders(WORKSPACES);
  return workspaces.length > 0 && !workspaces.includes(workspaceId);
}
