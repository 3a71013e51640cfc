import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { readDocument } from '../../snapshots/read.ts';
import type { DocumentCache } from './document-cache.ts';
import type { DocumentEntry } from './document-index.ts';
import type { Answers, Found } from './documents.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { WorkspaceView } from './views.ts';

/** The documents of the snapshots in service; a question is the path of one. */
export interface CurrentAnswers extends Answers<string> {
  /** Loads the documents of a newer view whose predecessors are in memory; the others are loaded when requested. */
  prepare: (newer: WorkspaceView, current: WorkspaceView) => Promise<void>;
}

const DOCUMENTS_AT_ONCE = 4;

export function currentAnswers(store: ObjectStore, cache: DocumentCache): CurrentAnswers {
  const noBrands = once(prepareNoBrands);
  const load = async ({ workspaceId, current }: WorkspaceView, entry: DocumentEntry) => {
    const named = { workspaceId, snapshotId: current!.snapshotId };
    return await cache.load(entry.sha256, 'current', async () => await readDocument(store, named, entry));
  };
  return {
    fromMemory(view, path) {
      if (view.current === null) return path === BRANDS_PATH ? undefined : null;
      const entry = view.documents.get(path);
      if (entry === undefined) return null;
      const document = cache.get(entry.sha256, 'current');
      return document && foundIn(view, document);
    },
    async read(view, path) {
      const entry = view.documents.get(path);
      return foundIn(view, entry === undefined ? await noBrands() : await load(view, entry));
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

/** Imports the document schemas only if needed: most gateways never need them, and they take 8 MB (see openApiText). */
async function prepareNoBrands(): Promise<PreparedDocument> {
  const { encodeDocument } = await import('../../lib/documents/encode.ts');
  const body = encodeDocument('brands', []);
  return await prepareDocument(body, sha256(body));
}

function foundIn({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current?.snapshotId ?? null, lastModified, isFinal: false };
}
