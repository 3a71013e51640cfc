import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readKey } from '../../snapshots/layout.ts';
import { resolveSnapshot } from '../../snapshots/reading/select.ts';
import { readLog } from '../../snapshots/log/follow.ts';
import type { Trust } from '../../snapshots/signing.ts';

/** For each workspace, the SHA-256 of each document by its path, as a published manifest lists them. */
export type Published = Map<string, { snapshotId: string; documents: Map<string, string> }>;

/** The current snapshots of a store. */
export async function publishedIn(
  store: ObjectStore,
  trust: Trust,
  workspaceIds: readonly string[],
): Promise<Published> {
  const log = await readLog(store, { origin: null, trust });
  if (log === null) throw new Error('nothing was published');
  const published: Published = new Map();
  for (const id of workspaceIds) {
    const { snapshotId, documents } = (await resolveSnapshot({ store, log }, id, 'current')).manifest;
    published.set(id, {
      snapshotId,
      documents: new Map(documents.map((document) => [document.path, document.sha256])),
    });
  }
  return published;
}

/** The SHA-256 of every document of a store, by key; not of manifests, which name the objects of the lake. */
export async function documentsIn(store: ObjectStore): Promise<Record<string, string>> {
  const documents: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    if (readKey(key)?.part === 'document') documents[key] = sha256((await store.get(key))!.bytes);
  }
  return documents;
}
