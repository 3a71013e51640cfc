/** How much is being worked on at once, by size. */
export interface InFlight {
  /**
   * Hands items out while those that are out, and the next, are no more than so many bytes; one always. Nothing is asked
   * of `items` meanwhile.
   */
  admit<Item>(items: AsyncIterable<Item>, bytesOf: (item: Item) => number): AsyncGenerator<Item>;
  /** An item of that size is done. */
  leave(bytes: number): void;
}

export function inFlight(maxBytes: number): InFlight {
  const state = { held: 0 };
  let left = Promise.withResolvers<void>();
  return {
    async *admit(items, bytesOf) {
      for await (const item of items) {
        const bytes = bytesOf(item);
        while (state.held > 0 && state.held + bytes > maxBytes) await left.promise;
        state.held += bytes;
        yield item;
      }
    },
    leave(bytes) {
      state.held -= bytes;
      left.resolve();
      left = Promise.withResolvers();
    },
  };
}
