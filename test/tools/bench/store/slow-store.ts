import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { WORKSPACES } from '../../../../snapshots/layout.ts';
import { memoryStore } from '../../../support/memory-store.ts';

/**
 * A store in memory of which each read takes some milliseconds, as one of a bucket does. Each workspace has a map of its
 * own: a list of one of ten thousand workspaces would look at the keys of all.
 */
export function slowStore(readMs: number): ObjectStore {
  const others = memoryStore(new Map());
  const workspaces = new Map<string, ObjectStore>();
  const storeOf = (key: string) => {
    if (!key.startsWith(WORKSPACES)) return others;
    const id = key.split('/')[1]!;
    return workspaces.getOrInsertComputed(id, () => memoryStore(new Map()));
  };
  const create: ObjectStore['create'] = async (key, bytes) => await storeOf(key).create(key, bytes);
  return {
    ...others,
    async get(key, mostBytes) {
      await sleep(readMs);
      return await storeOf(key).get(key, mostBytes);
    },
    create,
    createMany: (entries) => Array.fromAsync(entries, ({ key, bytes }) => create(key, bytes)),
    swap: async (key, bytes, expected) => await storeOf(key).swap(key, bytes, expected),
    list: (prefix) => storeOf(prefix).list(prefix),
    delete: async (key) => await storeOf(key).delete(key),
  };
}
