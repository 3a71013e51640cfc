import { LRUCache } from 'lru-cache';
import { sha256 } from '../../lib/hash.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { sharedLoads } from './shared-loads.ts';

/**
 * The part of the cache that a document belongs to. `past`: documents of old snapshots. They use only the space that
 * `current` documents leave, and are evicted first, so reading the history never evicts a current document.
 */
export type Share = 'current' | 'past';

/** Documents in memory, up to a total size: by the hash of their content, or what is made from several by other names. */
export interface DocumentCache {
  /** A current document. */
  get(name: string): PreparedDocument | undefined;
  /** The document from memory, or else from `read`, which runs once for concurrent callers. Failures are not cached. */
  load(name: string, share: Share, read: () => Promise<Buffer>): Promise<PreparedDocument>;
  /** True if the document is in memory as a current one. */
  has(name: string): boolean;
  /** Memory of the cached documents, in bytes. */
  bytes(): number;
  documents(): number;
}

/** A document that was asked for was in memory, or was not. */
export interface CacheObserver {
  cacheHit(): void;
  cacheMiss(): void;
}

export function documentCache(maxBytes: number, observer: CacheObserver): DocumentCache {
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

  const find = (name: string, share: Share): PreparedDocument | undefined => {
    // `peek` does not count as a use: reading the history must not affect which current documents are evicted.
    if (share === 'past') return current.peek(name) ?? past.get(name);
    const known = current.get(name);
    if (known !== undefined) return known;
    const promoted = past.peek(name);
    if (promoted !== undefined) keep(name, 'current', promoted);
    return promoted;
  };

  const get = (name: string, share: Share): PreparedDocument | undefined => {
    const known = find(name, share);
    if (known !== undefined) observer.cacheHit();
    return known;
  };

  return {
    get: (name) => get(name, 'current'),
    has: (name) => current.has(name),
    bytes,
    documents: () => current.size + past.size,
    async load(name, share, read) {
      const known = get(name, share);
      if (known !== undefined) return known;
      observer.cacheMiss();
      const document = await loadOnce(name, async () => {
        const body = await read();
        return await prepareDocument(body, sha256(body));
      });
      if (share === 'current' || !current.has(name)) keep(name, share, document);
      return document;
    },
  };
}
