import type { ObjectStore } from '../../lib/store/store.ts';

/** One call of a store's method that reads or changes objects. */
export interface Operation {
  /** 1 for the first call on this store. */
  number: number;
  method: 'get' | 'create' | 'createFromFile' | 'swap' | 'list' | 'folders' | 'localFile' | 'delete';
  key: string;
}

export interface Interposed {
  before?(operation: Operation): Promise<void> | void;
  after?(operation: Operation): Promise<void> | void;
}

/** A store that calls hooks before and after each operation. Errors of a hook are thrown to the caller. */
export function interposedStore(store: ObjectStore, hooks: Interposed): ObjectStore {
  let number = 0;
  async function told<T>(method: Operation['method'], key: string, work: () => Promise<T>): Promise<T> {
    const operation = { number: ++number, method, key };
    await hooks.before?.(operation);
    const result = await work();
    await hooks.after?.(operation);
    return result;
  }
  return {
    url: store.url,
    get: (key, mostBytes) => told('get', key, () => store.get(key, mostBytes)),
    create: (key, bytes) => told('create', key, () => store.create(key, bytes)),
    createMany: (entries) =>
      Array.fromAsync(entries, ({ key, bytes }) => told('create', key, () => store.create(key, bytes))),
    createFromFile: (key, path) => told('createFromFile', key, () => store.createFromFile(key, path)),
    swap: (key, bytes, expected) => told('swap', key, () => store.swap(key, bytes, expected)),
    async *list(prefix) {
      yield* await told('list', prefix, () => Array.fromAsync(store.list(prefix)));
    },
    folders: (prefix) => told('folders', prefix, () => store.folders(prefix)),
    localFile: (key, scratch) => told('localFile', key, () => store.localFile(key, scratch)),
    delete: (key) => told('delete', key, () => store.delete(key)),
    check: () => store.check(),
    close: () => store.close(),
  };
}

/** The store as a process sees it that dies right after its n-th change: nothing works any more. Keeps the kinds of changes. */
export function dyingAfter(n: number, store: ObjectStore, changes: string[] = []): ObjectStore {
  const dieIfDue = () => {
    if (changes.length >= n) throw new Error('killed');
  };
  return interposedStore(store, {
    before: dieIfDue,
    after({ method, key }) {
      if (['create', 'createFromFile', 'swap', 'delete'].includes(method))
        changes.push(`${method} ${key.split('/')[0]}`);
      dieIfDue();
    },
  });
}
