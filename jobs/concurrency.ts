export interface ConcurrencyLimits<Item> {
  /** How many items are worked on at once. */
  limit: number;
  /** The size of an item, and how much may be worked on at once; a single larger item is worked on alone. */
  bytesOf?: (item: Item) => number;
  maxBytes?: number;
}

/**
 * Calls `work` for each item, several at once, and returns the results in the order of the items. Items are taken one
 * after the other, while earlier ones are worked on.
 *
 * After an error nothing new is started; the error is thrown when everything that was started has ended, and `items` has
 * been closed. So the caller can remove what the work uses.
 */
export async function mapConcurrently<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  { limit, bytesOf = () => 0, maxBytes = Infinity }: ConcurrencyLimits<Item>,
): Promise<Result[]> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  /** What is under way, with the size of its item. */
  const running = new Map<Promise<void>, number>();
  const isFull = (bytes: number): boolean => {
    if (running.size === 0) return false;
    const bytesRunning = running.values().reduce((sum, size) => sum + size, 0);
    return running.size >= limit || bytesRunning + bytes > maxBytes;
  };
  const run = async (item: Item, index: number): Promise<void> => {
    try {
      results[index] = await work(item);
    } catch (error) {
      errors.push(error);
    }
  };
  let started = 0;
  try {
    for await (const item of items) {
      const bytes = bytesOf(item);
      while (isFull(bytes)) await Promise.race(running.keys());
      if (errors.length > 0) break;
      const ended: Promise<void> = run(item, started++).finally(() => running.delete(ended));
      running.set(ended, bytes);
    }
  } finally {
    await Promise.all(running.keys());
  }
  if (errors.length > 0) throw errors[0];
  return results;
}
