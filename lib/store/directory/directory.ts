import { realpathSync, statSync } from 'node:fs';
import { link, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import pLimit from 'p-limit';
import pMap from 'p-map';
import { Failure, Unreachable } from '../../failure.ts';
import { withLock } from '../../files/file-lock.ts';
import { sha256 } from '../../hash.ts';
import { compareText } from '../../methodology/text.ts';
import {
  codeOf,
  copyNew,
  entriesOf,
  hashNow,
  isMissing,
  isOfFullDisk,
  makeFolder,
  readOrNull,
  sizeOf,
  sync,
  temporaryBeside,
  writeNew,
  writing,
} from './files.ts';
import { sweeper } from './sweep.ts';
import type { Entries, Entry, ObjectInfo, ObjectStore } from '../store.ts';

/**
 * Objects as files below a folder. Writes go to a temporary file next to the target, are synced, and then take
 * their name in one step (link for create-once, rename for swap), so that no reader ever sees half a file.
 */
export function directoryStore(root: string): ObjectStore {
  const base = resolve(root);
  const fileOf = (key: string) => join(base, checkedKey(key));
  const sweep = sweeper();
  // Swaps that wait for the lock get it in no order, and give up after ten seconds: of one process only one waits.
  const inTurn = pLimit(1);
  const prepare = async (folder: string) => {
    await makeFolder(folder);
    await sweep(folder);
  };
  /** One full disk is one message, whichever of its files was written. */
  const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isOfFullDisk(error)) throw error;
      throw new Unreachable(`${base} cannot be written: its disk is full`, { cause: error });
    }
  };
  return {
    url: base,
    get: (key, mostBytes) => readObject(fileOf(key), mostBytes),
    hash: (key, mostBytes) => hashNow(fileOf(key), mostBytes),
    create: (key, bytes) =>
      onDisk(() => createOnce(fileOf(key), (temporary) => writeNew(temporary, bytes), prepare)),
    createMany: (entries) => onDisk(() => createTogether(entries, fileOf, prepare)),
    createFromFile: (key, path) =>
      onDisk(() => createOnce(fileOf(key), (temporary) => copyNew(path, temporary), prepare)),
    swap: (key, bytes, expected) =>
      onDisk(() =>
        writing(fileOf(key), async () => {
          await prepare(dirname(fileOf(key)));
          const swap = async () => await swapFile(fileOf(key), bytes, expected);
          return await inTurn(async () => await withLock(join(base, LOCK), swap));
        }),
      ),
    list: (prefix) => walk(base, prefix),
    folders: (prefix) => foldersWithObjects(base, prefix),
    localFile: async (key) => ((await sizeOf(fileOf(key))) === null ? null : fileOf(key)),
    delete: (key) => deleteFile(base, fileOf(key)),
    check: () => checkFolder(base),
    close: () => undefined,
  };
}

/** In the store's folder: one lock for all swaps, which take milliseconds. */
const LOCK = '.lock.db';

/** A key that leads outside the store's folder, or to a hidden file, is a defect of the caller. */
function checkedKey(key: string): string {
  if (key.split('/').some((name) => name === '' || name.startsWith('.'))) {
    throw new Error(`${JSON.stringify(key)} is not a valid key`);
  }
  return key;
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new Failure(`store ${folder} does not exist; the weekly job creates it`);
  if (!found.isDirectory()) throw new Failure(`store ${folder} is not a folder`);
}

async function readObject(file: string, mostBytes?: number) {
  const bytes = await readOrNull(file, mostBytes);
  return bytes === null ? null : { bytes, version: sha256(bytes) };
}

/** Writes the bytes of a new file and makes them durable. */
type Write = (temporary: string) => Promise<void>;

/** Makes a folder ready to be written to. */
type Prepare = (folder: string) => Promise<void>;

async function createOnce(file: string, write: Write, prepare: Prepare): Promise<boolean> {
  const isCreated = await createUnsynced(file, write, prepare);
  if (isCreated) await writing(file, () => sync(dirname(file)));
  return isCreated;
}

/** More gains nothing: Node runs four file operations at a time (libuv's thread pool). */
const FILES_AT_ONCE = 8;

/** Syncs each folder only once, at the end. When it throws, no write is running any more. */
async function createTogether(
  entries: Entries,
  fileOf: (key: string) => string,
  prepare: Prepare,
): Promise<boolean[]> {
  const folders = new Set<string>();
  const failures: unknown[] = [];
  const create = async ({ key, bytes }: Entry): Promise<boolean> => {
    const file = fileOf(key);
    try {
      const isCreated = await createUnsynced(file, (temporary) => writeNew(temporary, bytes), prepare);
      folders.add(dirname(file)); // also of a file that another process created and has not synced yet
      return isCreated;
    } catch (error) {
      failures.push(error);
      return false;
    }
  };
  const created = await pMap(untilFailure(entries, failures), create, { concurrency: FILES_AT_ONCE });
  if (failures.length > 0) throw failures[0];
  await pMap(folders, (folder) => writing(folder, () => sync(folder)), { concurrency: FILES_AT_ONCE });
  return created;
}

async function* untilFailure(entries: Entries, failures: unknown[]): AsyncGenerator<Entry> {
  try {
    for await (const entry of entries) {
      if (failures.length > 0) return;
      yield entry;
    }
  } catch (error) {
    failures.push(error);
  }
}

/** Until the folder is synced, a power cut may lose the file's name. */
async function createUnsynced(file: string, write: Write, prepare: Prepare): Promise<boolean> {
  if ((await sizeOf(file)) !== null) return false;
  return await writing(file, async () => {
    await prepare(dirname(file));
    const temporary = temporaryBeside(file);
    try {
      await write(temporary);
      await link(temporary, file); // unlike rename, fails if the name is taken
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await sizeOf(file)) !== null) return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

/** The caller must have the store's lock. */
async function swapFile(file: string, bytes: Uint8Array, expected: string | null): Promise<boolean> {
  const current = await readObject(file);
  if ((current?.version ?? null) !== expected) return false;
  const temporary = temporaryBeside(file);
  try {
    await writeNew(temporary, bytes);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  await sync(dirname(file));
  return true;
}

/** A thief who may only write to a store must not get anything else deleted: a lake, or another workspace. */
async function deleteFile(base: string, file: string): Promise<void> {
  await writing(file, async () => {
    try {
      const folder = dirname(file);
      if ((await realpath(folder)) !== join(await realpath(base), relative(base, folder)))
        throw new Failure(`${folder} is reached by a symbolic link, so nothing is deleted there`);
      await rm(file);
    } catch (error) {
      if (!isMissing(error) && codeOf(error) !== 'ERR_FS_EISDIR') throw error;
    }
  });
}

/** Folders are returned as `name/`, so that a walk yields keys in the order of an S3 list. */
async function visibleNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await entriesOf(folder)) {
    // The folder of a file system's own at the root of a disk, which only root may read.
    if (entry.name.startsWith('.') || entry.name === 'lost+found') continue;
    // Reads follow symbolic links, so lists must too: otherwise files could be served that verify does not see.
    const found = entry.isSymbolicLink() ? followed(folder, entry.name) : entry;
    if (found?.isDirectory()) names.push(`${entry.name}/`);
    else if (found?.isFile()) names.push(entry.name);
  }
  return names.toSorted(compareText);
}

/** @throws Failure if a link leads to a folder that contains it: its list would never end. */
function followed(folder: string, name: string) {
  const path = join(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() && `${realpathSync(folder)}/`.startsWith(`${realpathSync(path)}/`))
    throw new Failure(`${path} is a symbolic link to a folder that contains it`);
  return found;
}

async function* walk(base: string, prefix: string): AsyncGenerator<ObjectInfo> {
  for (const name of await visibleNames(join(base, prefix))) {
    const key = `${prefix}${name}`;
    if (name.endsWith('/')) yield* walk(base, key);
    else {
      // Synchronous, without a turn of the event loop per file: 10,000 files take 0.1 s instead of 1.3 s.
      const found = statSync(join(base, key), { throwIfNoEntry: false });
      if (found?.isFile()) yield { key, bytes: found.size, modifiedAt: found.mtimeMs }; // otherwise deleted meanwhile
    }
  }
}

/** Without folders that contain no objects, as in S3. */
async function foldersWithObjects(base: string, prefix: string): Promise<string[]> {
  const names = [];
  for (const name of await visibleNames(join(base, prefix))) {
    if (!name.endsWith('/')) continue;
    const first = await walk(base, `${prefix}${name}`).next();
    if (!first.done) names.push(name.slice(0, -1));
  }
  return names;
}
