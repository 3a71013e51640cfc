export interface ConcurrencyLimits<Item> {
  /** How many items are worked on at once. */
  limit: number;
  /** The size of an item, and how much may be worked on at once. A larger item is worked on alone. */
  bytesOf?: (item: Item) => number;
  maxBytes?: number;
}

/**
 * Calls `work` for each item, several at once, and returns the results in the order of the items. The next item is taken
 * while earlier ones are worked on.
 *
 * After an error nothing new is started. The error is thrown when everything that was started has ended, and `items` has
 * been closed, so that the caller can remove what the work uses. (That is why p-map does not do: it rejects at once, or
 * with `stopOnError: false` goes on to the last item. Nor does it bound bytes.)
 */
export async function mapConcurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { limit, bytesOf = () => 0, maxBytes = Infinity }: ConcurrencyLimits<Item>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  let hasFailed = false;
  /** What is under way, with the size of its item. */
  const running = new Map<Promise<unknown>, number>();
  const isFull = (bytes: number): boolean => {
    if (running.size === 0) return false;
    const bytesRunning = running.values().reduce((sum, size) => sum + size, 0);
    return running.size >= limit || bytesRunning + bytes > maxBytes;
  };
  try {
    for await (const item of items) {
      const bytes = bytesOf(item);
      while (isFull(bytes)) await Promise.race(running.keys());
      if (hasFailed) break;
      const result = work(item);
      results.push(result);
      const ended = result.catch(() => (hasFailed = true)).finally(() => running.delete(ended));
      running.set(ended, bytes);
    }
  } finally {
    await Promise.all(running.keys());
  }
  return await Promise.all(results);
}
