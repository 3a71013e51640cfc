/** A stored response. */
export interface StoredResponse {
  etag: string;
  /** The exact text of the body. */
  body: string;
  /** The date of its Last-Modified header, if it had one. */
  lastModified?: string | null;
}

/**
 * Stores responses between requests. An entry is used if the service responds 304 to its `etag`; that of a document of a
 * snapshot, which never changes, without a request, by the same key only. So a store may lose entries at any time, and keys
 * of several workspaces may share it. `url` may have a digest of the key after `#`. Its errors go to `onStoreError`: the client
 * then works as if nothing was stored.
 */
export interface ResponseStore {
  get(url: string): StoredResponse | undefined | Promise<StoredResponse | undefined>;
  set(url: string, response: StoredResponse): void | Promise<void>;
}

/**
 * Stores responses in memory. Once the bodies together exceed `maxCharacters` (default: 32 million), it drops the least
 * recently used.
 */
export function memoryStore({ maxCharacters = 32_000_000 } = {}): ResponseStore {
  const kept = new Map<string, StoredResponse>();
  let characters = 0;
  const take = (url: string): StoredResponse | undefined => {
    const found = kept.get(url);
    if (kept.delete(url)) characters -= found!.body.length;
    return found;
  };
  const put = (url: string, response: StoredResponse): void => {
    take(url);
    if (response.body.length > maxCharacters) return;
    kept.set(url, response);
    characters += response.body.length;
    for (const oldest of kept.keys()) {
      if (characters <= maxCharacters) return;
      take(oldest);
    }
  };
  return {
    get(url) {
      const found = take(url);
      if (found !== undefined) put(url, found);
      return found;
    },
    set: put,
  };
}
