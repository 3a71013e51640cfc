import type { Entries, ObjectStore } from '../../lib/store/store.ts';

/** A store that calls `assertMayWrite` before each write. If that throws, nothing is written. */
export function guardedStore(store: ObjectStore, assertMayWrite: () => void): ObjectStore {
  const guarded =
    <Args extends unknown[], T>(write: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      assertMayWrite();
      return await write(...args);
    };
  return {
    url: store.url,
    get: (key, mostBytes) => store.get(key, mostBytes),
    create: guarded((key, bytes) => store.create(key, bytes)),
    createMany: guarded((entries) => store.createMany(checkedEntries(entries, assertMayWrite))),
    createFromFile: guarded((key, path) => store.createFromFile(key, path)),
    swap: guarded((key, bytes, expected) => store.swap(key, bytes, expected)),
    list: (prefix) => store.list(prefix),
    folders: (prefix) => store.folders(prefix),
    localFile: (key, scratch) => store.localFile(key, scratch),
    delete: guarded((key) => store.delete(key)),
    check: () => store.check(),
    ...(store.time === undefined ? {} : { time: () => store.time!() }),
    close: () => store.close(),
  };
}

async function* checkedEntries(entries: Entries, assertMayWrite: () => void) {
  for await (const entry of entries) {
    assertMayWrite();
    yield entry;
  }
}
