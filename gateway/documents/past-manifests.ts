import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { PastSnapshot } from '../../snapshots/manifest.ts';
import { readManifest } from '../../snapshots/read.ts';
import { documentIndex } from './document-index.ts';
import type { DocumentIndex } from './document-index.ts';
import type { History } from './past-snapshots.ts';
import { sharedLoads } from './shared-loads.ts';
import type { SnapshotView } from './snapshot-view.ts';

/** The documents that manifests of past snapshots list. */
export interface PastManifests {
  inMemory(history: History, past: PastSnapshot): DocumentIndex | undefined;
  /** One read of the store. @throws Failure if the manifest cannot be read. */
  read(history: History, past: PastSnapshot): Promise<DocumentIndex>;
}

/** Some 100 bytes each: 10 MB. */
const ENTRIES_IN_MEMORY = 100_000;

export function pastManifests(store: ObjectStore): PastManifests {
  const kept = new LRUCache<string, DocumentIndex>({
    maxSize: ENTRIES_IN_MEMORY,
    sizeCalculation: (entries) => 1 + entries.size,
  });
  const readOnce = sharedLoads<DocumentIndex>();
  return {
    inMemory: ({ view }, past) => (isCurrent(view, past) ? view.documents : kept.get(past.manifestSha256)),
    read: async ({ view }, past) =>
      await readOnce(past.manifestSha256, async () => {
        const { documents } = await readManifest(store, view.workspaceId, past);
        const entries = documentIndex(documents);
        kept.set(past.manifestSha256, entries);
        return entries;
      }),
  };
}

export function isCurrent({ pointer }: SnapshotView, { manifestSha256 }: PastSnapshot): boolean {
  return manifestSha256 === pointer?.manifestSha256;
}
