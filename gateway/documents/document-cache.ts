import { LRUCache } from 'lru-cache';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';

/** Documents in memory, by the hash of their content, up to a number of bytes. */
export interface DocumentCache {
  get(contentHash: string): PreparedDocument | undefined;
  /** The document in memory, or else loaded, once however many wait for it. A failure is not remembered. */
  load(contentHash: string, read: () => Promise<Buffer>): Promise<PreparedDocument>;
  has(contentHash: string): boolean;
  /** What the documents in memory take. */
  bytes(): number;
  documents(): number;
}

export function documentCache(maxBytes: number): DocumentCache {
  const cache = new LRUCache<string, PreparedDocument>({
    maxSize: maxBytes,
    sizeCalculation: (document) => document.bytes,
  });
  const loading = new Map<string, Promise<PreparedDocument>>();

  const loadOnce = async (contentHash: string, read: () => Promise<Buffer>) => {
    const document = await prepareDocument(await read(), contentHash);
    cache.set(contentHash, document);
    return document;
  };

  return {
    get: (contentHash) => cache.get(contentHash),
    has: (contentHash) => cache.has(contentHash),
    bytes: () => cache.calculatedSize,
    documents: () => cache.size,
    async load(contentHash, read) {
      const known = cache.get(contentHash);
      if (known !== undefined) return known;
      const underway = loading.get(contentHash);
      if (underway !== undefined) return await underway;
      const load = loadOnce(contentHash, read).finally(() => loading.delete(contentHash));
      loading.set(contentHash, load);
      return await load;
    },
  };
}
