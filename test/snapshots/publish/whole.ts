import { expect } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { readDocument, readManifest, readPointer } from '../../../snapshots/read.ts';
import { workspaceId } from '../publication.ts';

/** What a reader sees: the as-of time of the snapshot, every byte of which is there as its manifest says; null: none. */
export async function wholeSnapshot(store: ObjectStore, id = workspaceId): Promise<string | null> {
  const pointer = await readPointer(store, id);
  if (pointer === null) return null;
  const manifest = await readManifest(store, id, pointer);
  await Promise.all(manifest.documents.map((document) => readDocument(store, manifest, document)));
  return manifest.asOf;
}

/** The as-of times of the chain, newest first, every snapshot of it whole. */
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

/** Everything in the store is explained: what is left over is noted, and nothing counts as a problem. */
export async function expectExplained(store: ObjectStore): Promise<void> {
  const { problems } = await verifyStore(store, { trust: null });
  expect(problems).toEqual([]);
}
