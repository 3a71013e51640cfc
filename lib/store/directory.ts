import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure, reasonOf } from '../failure.ts';
import { sha256 } from '../hash.ts';
import { hashFile } from './hash-file.ts';
import { withLock } from './lock.ts';
import type { ObjectInfo, ObjectStore } from './store.ts';

/** Half-written files carry this prefix; readers and lists pass over them. */
const TEMPORARY = '.tmp-';

/**
 * Objects as files below a folder. Writes go to a temporary file beside the target, are synced, and then take
 * their name in one step (link for create-once, rename for swap), so that no reader ever sees half a file.
 */
export function directoryStore(root: string): ObjectStore {
  const base = resolve(root);
  const fileOf = (key: string) => join(base, key);
  return {
    url: base,
    get: (key) => readObject(fileOf(key)),
    hash: (key) => hashFile(fileOf(key)),
    create: (key, bytes) => createOnce(fileOf(key), (temporary) => writeNew(temporary, bytes)),
    createFromFile: (key, path) => createOnce(fileOf(key), (temporary) => copyNew(path, temporary)),
    swap: (key, bytes, expected) => swapFile(fileOf(key), bytes, expected),
    list: (prefix) => walk(base, prefix),
    folders: async (prefix) => {
      const entries = await entriesOf(fileOf(prefix));
      return entries.filter((e) => e.isDirectory() && !e.name.startsWith('.')).map((e) => e.name);
    },
    localFile: async (key) => ((await sizeOf(fileOf(key))) === null ? null : fileOf(key)),
    delete: (key) => rm(fileOf(key), { force: true }),
    check: () => checkFolder(base),
    close: () => undefined,
  };
}

async function checkFolder(folder: string): Promise<void> {
  const found = await orNull(stat(folder));
  if (found === null) throw new Failure(`store ${folder} does not exist`);
  if (!found.isDirectory()) throw new Failure(`store ${folder} is not a folder`);
}

async function readObject(file: string) {
  const bytes = await orNull(readFile(file));
  return bytes === null ? null : { bytes, version: sha256(bytes) };
}

async function createOnce(file: string, write: (temporary: string) => Promise<void>): Promise<boolean> {
  if ((await sizeOf(file)) !== null) return false;
  return await throughTemporary(file, async (temporary) => {
    await write(temporary);
    try {
      await link(temporary, file); // unlike rename, fails where the name is taken
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(dirname(file));
    return true;
  });
}

async function swapFile(file: string, bytes: Uint8Array, expected: string | null): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true });
  return await withLock(`${file}.lock`, async () => {
    const current = await readObject(file);
    if ((current?.version ?? null) !== expected) return false;
    return await throughTemporary(file, async (temporary) => {
      await writeNew(temporary, bytes);
      await rename(temporary, file);
      await syncFolder(dirname(file));
      return true;
    });
  });
}

async function throughTemporary(
  file: string,
  work: (temporary: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = join(dirname(file), `${TEMPORARY}${randomUUID()}`);
  try {
    await mkdir(dirname(file), { recursive: true });
    return await work(temporary);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyNew(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await syncFolder(to);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* walk(base: string, prefix: string): AsyncGenerator<ObjectInfo> {
  for (const entry of await entriesOf(join(base, prefix))) {
    const key = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* walk(base, `${key}/`);
    else if (entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.lock')) {
      const bytes = await sizeOf(join(base, key));
      if (bytes !== null) yield { key, bytes };
    }
  }
}

/** Sorted so that a walk yields keys in the order of an S3 list, where a folder's name ends in `/`. */
async function entriesOf(folder: string) {
  const entries = (await orNull(readdir(folder, { withFileTypes: true }))) ?? [];
  const spelled = (e: { name: string; isDirectory(): boolean }) => (e.isDirectory() ? `${e.name}/` : e.name);
  return entries.toSorted((a, b) => (spelled(a) < spelled(b) ? -1 : 1));
}

async function sizeOf(file: string): Promise<number | null> {
  return (await orNull(stat(file)))?.size ?? null;
}

async function orNull<T>(operation: Promise<T>): Promise<T | null> {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
