import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { readDocument } from '../../snapshots/read.ts';
import type { DocumentCache } from './document-cache.ts';
import type { DocumentEntry } from './document-index.ts';
import type { Found } from './documents.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { WorkspaceView } from './views.ts';

/** The documents of the snapshots in service, by their path; null if there is no such document. */
export interface CurrentDocuments {
  /** From memory; undefined if it must be read. */
  fromMemory(view: WorkspaceView, path: string): Found | null | undefined;
  /** @throws Failure if the document cannot be read. */
  read(view: WorkspaceView, path: string): Promise<Found | null>;
  /** Loads the documents of a newer view whose predecessors are in memory; the others are loaded when requested. */
  prepare: (newer: WorkspaceView, current: WorkspaceView) => Promise<void>;
}

const DOCUMENTS_AT_ONCE = 4;
const NO_BRANDS = Buffer.from('{"data":[]}\n');

export function currentDocuments(store: ObjectStore, cache: DocumentCache): CurrentDocuments {
  const noBrands = once(async () => await prepareDocument(NO_BRANDS, sha256(NO_BRANDS)));
  const load = async ({ workspaceId, current }: WorkspaceView, entry: DocumentEntry) => {
    const named = { workspaceId, snapshotId: current!.snapshotId };
    return await cache.load(entry.sha256, 'current', async () => await readDocument(store, named, entry));
  };
  return {
    fromMemory(view, path) {
      const entry = view.documents.get(path);
      if (entry === undefined) return view.current === null && path === BRANDS_PATH ? undefined : null;
      const document = cache.get(entry.sha256);
      return document && foundIn(view, document);
    },
    async read(view, path) {
      const entry = view.documents.get(path);
      if (entry !== undefined) return foundIn(view, await load(view, entry));
      return view.current === null && path === BRANDS_PATH ? foundIn(view, await noBrands()) : null;
    },
    async prepare(newer, current) {
      const inUse = [...newer.documents.entries()].filter(({ path }) => {
        const before = current.documents.get(path);
        return before !== undefined && cache.has(before.sha256);
      });
      await pMap(inUse, async (entry) => await load(newer, entry), { concurrency: DOCUMENTS_AT_ONCE });
    },
  };
}

function foundIn({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current?.snapshotId ?? null, lastModified, isFinal: false };
}
