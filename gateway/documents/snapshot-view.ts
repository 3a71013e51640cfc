import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, readKey, snapshotsPrefix } from '../../snapshots/layout.ts';
import type { Manifest, Pointer } from '../../snapshots/manifest.ts';
import { readHistory, readManifest, readPointer } from '../../snapshots/read.ts';

export type DocumentEntry = Manifest['documents'][number];

/** The snapshot that a workspace is served from. */
export interface SnapshotView {
  workspaceId: string;
  /** Null: nothing has been published for the workspace, which therefore has no brands. */
  pointer: Pointer | null;
  /** What the pointer names; null without a snapshot. */
  manifest: Manifest | null;
  /** Milliseconds since the Unix epoch; null without a snapshot. */
  asOf: number | null;
  /** When it was published, as an HTTP date; null without a snapshot. */
  lastModified: string | null;
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
  if (pointer !== null) return await viewOf(store, workspaceId, pointer, trust, null);
  await store.check(); // a folder that is not mounted has no pointers either
  if (await hasManifests(store, workspaceId))
    throw new Failure(`workspace ${workspaceId} has snapshots in ${store.url}, but no pointer`);
  return { workspaceId, pointer: null, manifest: null, asOf: null, lastModified: null, documents: new Map() };
}

/**
 * The view that should replace `current`, or `current` itself where the pointer still names it.
 * @throws Failure where what the pointer names cannot be read or does not come after the current snapshot, or the
 * pointer has gone. A customer is removed in the records, never by removing objects.
 */
export async function readNewerView(
  store: ObjectStore,
  current: SnapshotView,
  trust: Trust | null,
): Promise<SnapshotView> {
  const { workspaceId } = current;
  const pointer = await readPointer(store, workspaceId);
  if (pointer === null) {
    if (current.pointer === null) return current;
    throw new Failure(`the pointer of workspace ${workspaceId} has gone from ${store.url}`);
  }
  return pointer.manifestSha256 === current.pointer?.manifestSha256
    ? current
    : await viewOf(store, workspaceId, pointer, trust, current.pointer);
}

async function viewOf(
  store: ObjectStore,
  workspaceId: string,
  pointer: Pointer,
  trust: Trust | null,
  served: Pointer | null,
): Promise<SnapshotView> {
  const manifest = await readManifest(store, workspaceId, pointer, trust);
  if (served !== null) await refuseUnlessAfter(store, manifest, pointer, served);
  const documents = new Map(manifest.documents.map((document) => [document.path, document]));
  if (!documents.has(BRANDS_PATH)) {
    throw new Failure(`snapshot ${manifest.snapshotId} of workspace ${workspaceId} has no ${BRANDS_PATH}`);
  }
  const lastModified = new Date(manifest.publishedAt).toUTCString();
  return { workspaceId, pointer, manifest, asOf: Date.parse(manifest.asOf), lastModified, documents };
}

/** An older snapshot, or one of another history, must not replace the one that is served. */
async function refuseUnlessAfter(
  store: ObjectStore,
  manifest: Manifest,
  { manifestSha256 }: Pointer,
  served: Pointer,
): Promise<void> {
  if (manifest.previous?.manifestSha256 === served.manifestSha256) return;
  const history = await readHistory(store, manifest, manifestSha256);
  if (history.some((past) => past.manifestSha256 === served.manifestSha256)) return;
  throw new Failure(
    `the pointer of workspace ${manifest.workspaceId} names ${manifest.snapshotId}, which does not come after ${served.snapshotId}, the snapshot in service`,
  );
}

/** True where the pointer was lost, or a first publication is a moment away from writing it. */
async function hasManifests(store: ObjectStore, workspaceId: string): Promise<boolean> {
  for await (const { key } of store.list(snapshotsPrefix(workspaceId))) {
    const part = readKey(key)?.part;
    if (part === 'manifest' || part === 'alternateManifest' || part === 'receipt') return true;
  }
  return false;
}
