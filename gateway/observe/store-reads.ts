import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, HEADS, TILES, readKey } from '../../snapshots/layout.ts';

/** What a gateway reads from a store; a bundle of entries is a tile. */
export const storeObjects = ['checkpoint', 'tile', 'heads', 'history', 'manifest', 'document'] as const;
export type StoreObject = (typeof storeObjects)[number];

/** The same store; every read that is asked of it is reported, whether it succeeds or not. */
export function countingReads(store: ObjectStore, onRead: (object: StoreObject) => void): ObjectStore {
  return {
    ...store,
    get: async (key, mostBytes) => {
      onRead(objectOf(key));
      return await store.get(key, mostBytes);
    },
  };
}

function objectOf(key: string): StoreObject {
  if (key === CHECKPOINT_KEY) return 'checkpoint';
  if (key.startsWith(TILES)) return 'tile';
  if (key.startsWith(HEADS)) return 'heads';
  return readKey(key)!.part; // a gateway reads nothing else
}
