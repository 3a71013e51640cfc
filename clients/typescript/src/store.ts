/** A response as it is kept for the next conditional request. */
export interface StoredResponse {
  etag: string;
  /** The exact text of the body. */
  body: string;
}

/**
 * Where responses are kept between requests. An entry is only used when the service answers 304, so a store may lose
 * entries at any time. An error of a store reaches the caller of the method.
 */
export interface ResponseStore {
  get(url: string): StoredResponse | undefined | Promise<StoredResponse | undefined>;
  set(url: string, response: StoredResponse): void | Promise<void>;
}

/**
 * Keeps responses in memory, the least recently used of them no longer once all bodies together have more than
 * `maxCharacters` (32 million unless given).
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
