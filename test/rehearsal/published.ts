import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readKey } from '../../snapshots/layout.ts';
import { readManifest, readPointer } from '../../snapshots/read.ts';

/** For each workspace, the SHA-256 of each document by its path, as a published manifest lists them. */
export type Published = Map<string, { snapshotId: string; documents: Map<string, string> }>;

/** The current snapshots of a store. */
export async function publishedIn(store: ObjectStore, workspaceIds: readonly string[]): Promise<Published> {
  const published: Published = new Map();
  for (const id of workspaceIds) {
    const pointer = await readPointer(store, id);
    if (pointer === null) throw new Error(`nothing was published for ${id}`);
    const { snapshotId, documents } = await readManifest(store, id, pointer);
    published.set(id, {
      snapshotId,
      documents: new Map(documents.map((document) => [document.path, document.sha256])),
    });
  }
  return published;
}

/** The SHA-256 of every document of a store, by key; not of manifests, which contain their publication time. */
export async function documentsIn(store: ObjectStore): Promise<Record<string, string>> {
  const documents: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    if (readKey(key)?.part === 'document') documents[key] = sha256((await store.get(key))!.bytes);
  }
  return documents;
}
