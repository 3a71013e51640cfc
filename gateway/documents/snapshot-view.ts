import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { PUBLISHED_OR_BEGUN, readCurrentPointer } from '../../snapshots/current-pointer.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { summaryOf } from '../../snapshots/manifest.ts';
import type { Manifest, PastSnapshot, Pointer } from '../../snapshots/manifest.ts';
import { readHistory, readManifest, readPointer } from '../../snapshots/read.ts';
import { documentIndex } from './document-index.ts';
import type { DocumentIndex } from './document-index.ts';

/** The snapshot in service for a workspace. */
export interface SnapshotView {
  workspaceId: string;
  /** Null if nothing has been published for the workspace: it then has no brands. */
  pointer: Pointer | null;
  /** The snapshot as histories list it, and the hash of the history before it; null without a snapshot. */
  newest: { summary: PastSnapshot; history: string | null } | null;
  /** Milliseconds since the Unix epoch; null without a snapshot. */
  asOf: number | null;
  /** When it was published, as an HTTP date; null without a snapshot. */
  lastModified: string | null;
  documents: DocumentIndex;
}

/**
 * Reads the snapshot that the pointer names.
 * @param trust the snapshot must be signed with one of these keys; null: signatures are not checked
 * @throws Failure if it cannot be read completely, or its signature is not valid
 */
export async function readView(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null,
): Promise<SnapshotView> {
  // A lost pointer must never look like a customer without brands, even if its receipt is lost too.
  const pointer = await readCurrentPointer(store, workspaceId, PUBLISHED_OR_BEGUN);
  if (pointer !== null) return await viewOf(store, workspaceId, pointer, trust, null);
  await store.check(); // a folder that is not mounted also has no pointers
  const documents = documentIndex([]);
  return { workspaceId, pointer: null, newest: null, asOf: null, lastModified: null, documents };
}

/**
 * The view that must replace `current`, or `current` itself if the pointer still names it.
 * @throws Failure if the new snapshot cannot be read or does not come after the current one, or the pointer is
 * missing. To remove a customer, change the records; never remove objects.
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
    throw new Failure(`the pointer of workspace ${workspaceId} is missing from ${store.url}`);
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
  const documents = documentIndex(manifest.documents);
  if (documents.get(BRANDS_PATH) === undefined) {
    throw new Failure(`snapshot ${manifest.snapshotId} of workspace ${workspaceId} has no ${BRANDS_PATH}`);
  }
  const lastModified = new Date(manifest.publishedAt).toUTCString();
  const newest = { summary: summaryOf(manifest, pointer.manifestSha256), history: manifest.history };
  return { workspaceId, pointer, newest, asOf: Date.parse(manifest.asOf), lastModified, documents };
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
