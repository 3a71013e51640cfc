import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../lib/hash.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { tooLarge } from '../../lib/store/store.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

/** Objects by key; a test may copy, alter and put back all of them at once. */
export type Objects = Map<string, Buffer>;

/**
 * A store in memory, for tests that need thousands of them. It keeps the contract of every store.
 * @param now its clock; what was written by another store of the same objects was written at its beginning
 */
export function memoryStore(objects: Objects, url = 'memory', now: () => number = Date.now): ObjectStore {
  const began = now();
  const writtenAt = new WeakMap<Buffer, number>();
  const write = (key: string, content: Uint8Array) => {
    const bytes = Buffer.from(content);
    objects.set(key, bytes);
    writtenAt.set(bytes, now());
    return Promise.resolve(true);
  };
  const create = async (key: string, bytes: Uint8Array): Promise<boolean> =>
    objects.has(key) ? false : await write(key, bytes);
  const bytesOf = (key: string) => {
    const bytes = objects.get(key);
    return bytes === undefined ? null : Buffer.from(bytes);
  };
  const versionOf = (key: string) => {
    const bytes = objects.get(key);
    return bytes === undefined ? null : sha256(bytes);
  };
  return {
    url,
    get(key, mostBytes = Infinity) {
      const bytes = bytesOf(key);
      if (bytes === null) return Promise.resolve(null);
      if (bytes.length > mostBytes) return Promise.reject(tooLarge(`${url}/${key}`, mostBytes));
      return Promise.resolve({ bytes, version: versionOf(key)! });
    },
    create,
    createMany: (entries) => Array.fromAsync(entries, ({ key, bytes }) => create(key, bytes)),
    createFromFile: async (key, path) => await create(key, await readFile(path)),
    swap(key, bytes, expected) {
      if (versionOf(key) !== expected) return Promise.resolve(false);
      return write(key, bytes);
    },
    async *list(prefix) {
      for (const key of keysBelow(objects, prefix)) {
        const bytes = objects.get(key);
        if (bytes !== undefined)
          yield { key, bytes: bytes.length, modifiedAt: writtenAt.get(bytes) ?? began };
        await Promise.resolve();
      }
    },
    folders(prefix) {
      return Promise.resolve(foldersBelow(objects, prefix));
    },
    async localFile(key, scratch) {
      const bytes = bytesOf(key);
      if (bytes === null) return null;
      const path = join(scratch, sha256(key));
      await writeFile(path, bytes);
      return path;
    },
    delete(key) {
      objects.delete(key);
      return Promise.resolve();
    },
    check: () => Promise.resolve(),
    close: () => undefined,
  };
}

function foldersBelow(objects: Objects, prefix: string): string[] {
  const names = keysBelow(objects, prefix).map((key) => key.slice(prefix.length).split('/'));
  return [...new Set(names.flatMap(([name, ...rest]) => (rest.length > 0 ? name! : [])))];
}

function keysBelow(objects: Objects, prefix: string): string[] {
  return [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted(compareText);
}
