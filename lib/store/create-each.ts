import pMap from 'p-map';
import type { Entries, ObjectStore } from './store.ts';

/** `createMany` for a store that gains nothing from writing many together, except that writes overlap. */
export async function createEach(
  create: ObjectStore['create'],
  entries: Entries,
  concurrency: number,
): Promise<boolean[]> {
  return await pMap(entries, ({ key, bytes }) => create(key, bytes), { concurrency });
}
