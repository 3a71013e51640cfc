import pMap from 'p-map';
import { sha256 } from '../lib/hash.ts';
import type { Signer } from '../lib/signing.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { manifestKey, manifestKeys, pointerKey, snapshotPrefix } from './layout.ts';
import { encodeManifest, encodePointer, snapshotIdOf } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { readDocument, readManifest, readPointer } from './read.ts';
import type { CurrentPointer } from './read.ts';
import { createExactly, signManifest, writeReceipt } from './sign.ts';

export interface PublishedDocument {
  /** As snapshots/layout.ts spells it. */
  path: string;
  bytes: Buffer;
}

/** A snapshot to be published: its documents, and what they were made from. */
export type Publication = Omit<Manifest, 'format' | 'snapshotId' | 'previous' | 'documents' | 'signedBy'> & {
  documents: readonly PublishedDocument[];
};

export interface Published {
  snapshotId: string;
  /** False where the workspace had this very snapshot before. */
  isNew: boolean;
  documents: number;
  bytes: number;
}

const READS_AT_ONCE = 16;

/**
 * Publishes a snapshot of one workspace: documents, then the manifest, then the pointer by compare-and-swap. All but
 * the pointer is created once and never written again, so that readers see the old snapshot or the new one, whole,
 * whatever dies when; publishing the same again does nothing. Of two publications at once the later one links to
 * the earlier.
 * @param signer absent: the snapshot is not signed.
 */
export async function publishSnapshot(
  store: ObjectStore,
  publication: Publication,
  signer?: Signer,
): Promise<Published> {
  const documents = publication.documents
    .map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const snapshotId = snapshotIdOf({ ...publication, documents });
  const manifest = { ...publication, format: 1 as const, snapshotId, documents };
  const published = {
    snapshotId,
    documents: documents.length,
    bytes: documents.reduce((sum, document) => sum + document.bytes, 0),
  };
  let receipted: string | null = null;
  // Documents may take minutes, so the pointer is looked at once more before anything is linked to it.
  for (let documentsAreThere = false; ; documentsAreThere = true) {
    const pointer = await readPointer(store, publication.workspaceId);
    if (pointer !== null && pointer.version !== receipted) {
      await writeReceipt(store, publication.workspaceId, pointer);
      receipted = pointer.version;
    }
    if (await isPublished(store, publication.workspaceId, snapshotId, pointer))
      return { ...published, isNew: false };
    if (!documentsAreThere) await writeDocuments(store, manifest, publication.documents);
    else if (await publishOnto(store, manifest, pointer, signer)) return { ...published, isNew: true };
  }
}

/** True where the snapshot is the current one, or stands behind it in the chain. */
async function isPublished(
  store: ObjectStore,
  workspaceId: string,
  snapshotId: string,
  pointer: CurrentPointer | null,
): Promise<boolean> {
  if (pointer === null) return false;
  if (pointer.snapshotId === snapshotId) return true;
  // Most often there is no such snapshot at all, and the chain need not be walked.
  if ((await store.get(manifestKey(workspaceId, snapshotId))) === null) return false;
  let link: Manifest['previous'] = pointer;
  while (link !== null) {
    if (link.snapshotId === snapshotId) return true;
    link = (await readManifest(store, workspaceId, link)).previous;
  }
  return false;
}

async function writeDocuments(
  store: ObjectStore,
  manifest: Pick<Manifest, 'workspaceId' | 'snapshotId' | 'documents'>,
  documents: readonly PublishedDocument[],
): Promise<void> {
  const prefix = snapshotPrefix(manifest.workspaceId, manifest.snapshotId);
  const created = await store.createMany(
    documents.map(({ path, bytes }) => ({ key: `${prefix}${path}`, bytes })),
  );
  // The others were left by a publication that died. Their names say what they must hold; make sure.
  const left = new Set(documents.filter((_, index) => created[index] === false).map(({ path }) => path));
  await pMap(
    manifest.documents.filter(({ path }) => left.has(path)),
    (document) => readDocument(store, manifest, document),
    { concurrency: READS_AT_ONCE },
  );
}

/** Writes the manifest and moves the pointer to it. False where another publication moved the pointer meanwhile. */
async function publishOnto(
  store: ObjectStore,
  manifest: Omit<Manifest, 'previous' | 'signedBy'>,
  pointer: CurrentPointer | null,
  signer: Signer | undefined,
): Promise<boolean> {
  const previous =
    pointer === null ? null : { snapshotId: pointer.snapshotId, manifestSha256: pointer.manifestSha256 };
  const bytes = encodeManifest({ ...manifest, signedBy: signer?.fingerprint ?? null, previous });
  await placeManifest(store, manifest, bytes);
  if (signer !== undefined) await signManifest(store, manifest, bytes, signer);
  const next = { snapshotId: manifest.snapshotId, manifestSha256: sha256(bytes) };
  const pointerBytes = encodePointer({ format: 1, ...next });
  if (!(await store.swap(pointerKey(manifest.workspaceId), pointerBytes, pointer?.version ?? null)))
    return false;
  await writeReceipt(store, manifest.workspaceId, next);
  return true;
}

/**
 * Where `manifest.json` is taken by a publication that died, or that lost the race for the pointer, the manifest goes
 * beside it, named by its hash. Replacing it would be a second compare-and-swap: a job that is held up between
 * looking at the pointer and replacing would destroy what another has published since.
 */
async function placeManifest(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  bytes: Buffer,
): Promise<void> {
  const [usual, beside] = manifestKeys(workspaceId, snapshotId, sha256(bytes));
  if (await store.create(usual, bytes)) return;
  if ((await store.get(usual))?.bytes.equals(bytes) !== true) await createExactly(store, beside, bytes);
}
