import { LRUCache } from 'lru-cache';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { sharedLoads } from './shared-loads.ts';

/**
 * The part of the cache that a document belongs to. `past`: documents of old snapshots. They use only the space that
 * `current` documents leave, and are evicted first, so reading the history never evicts a current document.
 */
export type Share = 'current' | 'past';

/** Documents in memory, by the hash of their content, up to a total size. */
export interface DocumentCache {
  get(contentHash: string, share: Share): PreparedDocument | undefined;
  /** The document from memory, or else from `load`, which runs once for concurrent callers. Failures are not cached. */
  load(contentHash: string, share: Share, read: () => Promise<Buffer>): Promise<PreparedDocument>;
  /** Adds a prepared document, if there is space. */
  keep(name: string, share: Share, document: PreparedDocument): void;
  /** True if the document is in memory as a current one. */
  has(contentHash: string): boolean;
  /** Memory of the cached documents, in bytes. */
  bytes(): number;
  documents(): number;
}

export function documentCache(maxBytes: number): DocumentCache {
  const options = { maxSize: maxBytes, sizeCalculation: (document: PreparedDocument) => document.bytes };
  const current = new LRUCache<string, PreparedDocument>(options);
  const past = new LRUCache<string, PreparedDocument>(options);
  const loadOnce = sharedLoads<PreparedDocument>();
  const bytes = () => current.calculatedSize + past.calculatedSize;

  const keep = (name: string, share: Share, document: PreparedDocument) => {
    if (share === 'current') past.delete(name);
    (share === 'current' ? current : past).set(name, document);
    while (past.size > 0 && bytes() > maxBytes) past.pop();
  };

  const get = (contentHash: string, share: Share): PreparedDocument | undefined => {
    // `peek` does not count as a use: reading the history must not affect which current documents are evicted.
    if (share === 'past') return current.peek(contentHash) ?? past.get(contentHash);
    const known = current.get(contentHash);
    if (known !== undefined) return known;
    const promoted = past.peek(contentHash);
    if (promoted !== undefined) keep(contentHash, 'current', promoted);
    return promoted;
  };

  return {
    get,
    keep,
    has: (contentHash) => current.has(contentHash),
    bytes,
    documents: () => current.size + past.size,
    async load(contentHash, share, read) {
      const known = get(contentHash, share);
      if (known !== undefined) return known;
      const document = await loadOnce(
        contentHash,
        async () => await prepareDocument(await read(), contentHash),
      );
      if (share === 'current' || !current.has(contentHash)) keep(contentHash, share, document);
      return document;
    },
  };
}
