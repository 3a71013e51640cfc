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
    return true;
  };
  const create = async (key: string, bytes: Uint8Array) => !objects.has(key) && write(key, bytes);
  const keysBelow = (prefix: string) =>
    [...objects.keys()].filter((key) => key.startsWith(prefix)).toSorted(compareText);
  return {
    url,
    async get(key, mostBytes = Infinity) {
      const bytes = objects.get(key);
      if (bytes === undefined) return null;
      if (bytes.length > mostBytes) throw tooLarge(`${url}/${key}`, mostBytes);
      return { bytes: Buffer.from(bytes), version: sha256(bytes) };
    },
    create,
    createMany: (entries) => Array.fromAsync(entries, ({ key, bytes }) => create(key, bytes)),
    createFromFile: async (key, path) => await create(key, await readFile(path)),
    async swap(key, bytes, expected) {
      const present = objects.get(key);
      return (present === undefined ? null : sha256(present)) === expected && write(key, bytes);
    },
    async *list(prefix) {
      for (const key of keysBelow(prefix)) {
        const bytes = objects.get(key);
        if (bytes !== undefined)
          yield { key, bytes: bytes.length, modifiedAt: writtenAt.get(bytes) ?? began };
        await Promise.resolve();
      }
    },
    async folders(prefix) {
      const names = keysBelow(prefix).map((key) => key.slice(prefix.length).split('/'));
      return [...new Set(names.flatMap(([name, ...rest]) => (rest.length > 0 ? name! : [])))];
    },
    async localFile(key, scratch) {
      const bytes = objects.get(key);
      if (bytes === undefined) return null;
      const path = join(scratch, sha256(key));
      await writeFile(path, bytes);
      return path;
    },
    delete: async (key) => void objects.delete(key),
    check: async () => undefined,
    close: () => undefined,
  };
}
