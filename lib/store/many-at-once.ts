import pMap from 'p-map';

/** Does the same with each item, 16 at a time. @returns the results, in the order of the items; throws the first error */
export async function manyAtOnce<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  return await pMap<Item, Result>(items, work, { concurrency: 16 });
}
