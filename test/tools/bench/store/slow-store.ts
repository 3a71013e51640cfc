import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../../../../lib/store/store.ts';

/** A store of which each read takes some milliseconds, as one of a bucket does. */
export function slowStore(store: ObjectStore, readMs: number): ObjectStore {
  return {
    ...store,
    async get(key, mostBytes) {
      await sleep(readMs);
      return await store.get(key, mostBytes);
    },
  };
}
