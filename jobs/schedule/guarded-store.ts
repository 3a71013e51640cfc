import type { Entries, ObjectStore } from '../../lib/store/store.ts';

/** A store that asks before each write; what `mayWrite` throws, the writer gets, and nothing is written. */
export function guardedStore(store: ObjectStore, mayWrite: () => void): ObjectStore {
  const guarded =
    <Args extends unknown[], T>(write: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      mayWrite();
      return await write(...args);
    };
  return {
    url: store.url,
    get: (key) => store.get(key),
    create: guarded((key, bytes) => store.create(key, bytes)),
    createMany: guarded((entries) => store.createMany(checkedEntries(entries, mayWrite))),
    createFromFile: guarded((key, path) => store.createFromFile(key, path)),
    swap: guarded((key, bytes, expected) => store.swap(key, bytes, expected)),
    list: (prefix) => store.list(prefix),
    folders: (prefix) => store.folders(prefix),
    localFile: (key, scratch) => store.localFile(key, scratch),
    delete: guarded((key) => store.delete(key)),
    check: () => store.check(),
    close: () => store.close(),
  };
}

async function* checkedEntries(entries: Entries, mayWrite: () => void) {
  for await (const entry of entries) {
    mayWrite();
    yield entry;
  }
}
