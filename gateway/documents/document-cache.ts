import { LRUCache } from 'lru-cache';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { sharedLoads } from './shared-loads.ts';

/**
 * On whose behalf a document is in memory. `past`: only for those who read old snapshots. Such documents take the room
 * that `current` ones leave, and are the first to go: reading the history never makes a current document cold.
 */
export type Share = 'current' | 'past';

/** Documents in memory, by the hash of their content, up to a number of bytes. */
export interface DocumentCache {
  get(contentHash: string, share: Share): PreparedDocument | undefined;
  /** The document in memory, or else loaded, once however many wait for it. A failure is not remembered. */
  load(contentHash: string, share: Share, read: () => Promise<Buffer>): Promise<PreparedDocument>;
  /** Keeps what was prepared elsewhere, if there is room. */
  keep(name: string, share: Share, document: PreparedDocument): void;
  /** True where it is in memory as a current document. */
  has(contentHash: string): boolean;
  /** What the documents in memory take. */
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
    // Without a use of the current one: who reads the history must not decide which of those stay.
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
