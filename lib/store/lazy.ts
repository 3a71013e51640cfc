import { once } from '../once.ts';
import type { ObjectStore } from './store.ts';

/**
 * A store whose code is loaded at its first use: the AWS SDK takes a quarter of a second to load, which commands that
 * use no S3 should not wait for.
 */
export function lazyStore(url: string, load: () => Promise<ObjectStore>): ObjectStore {
  let loaded: ObjectStore | undefined;
  const store = once(async () => (loaded = await load()));
  return {
    url,
    get: async (key, mostBytes) => await (await store()).get(key, mostBytes),
    create: async (key, bytes) => await (await store()).create(key, bytes),
    createMany: async (entries) => await (await store()).createMany(entries),
    createFromFile: async (key, path) => await (await store()).createFromFile(key, path),
    swap: async (key, bytes, expected) => await (await store()).swap(key, bytes, expected),
    async *list(prefix) {
      yield* (await store()).list(prefix);
    },
    folders: async (prefix) => await (await store()).folders(prefix),
    localFile: async (key, scratch) => await (await store()).localFile(key, scratch),
    delete: async (key) => await (await store()).delete(key),
    check: async (kind) => await (await store()).check(kind),
    time: async () => (await (await store()).time?.()) ?? null,
    close: () => loaded?.close(),
  };
}
