import { expect } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { readDocument, readManifest, readPointer } from '../../../snapshots/read.ts';
import { workspaceId } from '../publication.ts';

/** Reads the current snapshot and verifies all its documents; returns its as-of time, or null if there is none. */
export async function wholeSnapshot(store: ObjectStore, id = workspaceId): Promise<string | null> {
  const pointer = await readPointer(store, id);
  if (pointer === null) return null;
  const manifest = await readManifest(store, id, pointer);
  await Promise.all(manifest.documents.map((document) => readDocument(store, manifest, document)));
  return manifest.asOf;
}

/** The as-of times of the chain, newest first; verifies every snapshot. */
export async function wholeChain(store: ObjectStore, id = workspaceId): Promise<string[]> {
  const times: string[] = [];
  let link = await readPointer(store, id).then(
    (pointer) => pointer as { snapshotId: string; manifestSha256: string } | null,
  );
  while (link !== null) {
    const manifest = await readManifest(store, id, link);
    await Promise.all(manifest.documents.map((document) => readDocument(store, manifest, document)));
    times.push(manifest.asOf);
    link = manifest.previous;
  }
  return times;
}

/** Asserts that verify reports no problems; leftovers are notes. */
export async function expectExplained(store: ObjectStore): Promise<void> {
  const { problems } = await verifyStore(store, { trust: null });
  expect(problems).toEqual([]);
}
