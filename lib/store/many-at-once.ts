import pMap from 'p-map';

/** The number of objects that a command reads, or writes, at the same time. */
export const OBJECTS_AT_ONCE = 16;

/** Does the same with each item, {@link OBJECTS_AT_ONCE} at a time. @returns the results, in the order of the items; throws the first error */
export async function manyAtOnce<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return await pMap<Item, Result>(items, work, { concurrency: OBJECTS_AT_ONCE });
}
