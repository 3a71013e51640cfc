import pMap from 'p-map';
import type { Entries, ObjectStore } from './store.ts';

/** `createMany` by concurrent calls of `create`, for stores that cannot write several objects in one operation. */
export async function createEach(
  create: ObjectStore['create'],
  entries: Entries,
  concurrency: number,
): Promise<boolean[]> {
  return await pMap(entries, ({ key, bytes }) => create(key, bytes), { concurrency });
}
