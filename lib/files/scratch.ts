import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from './file-lock.ts';

/** In each scratch folder: locked until the process that made the folder ends. */
const LOCK = '.owner.db';
const OURS = /^sightline-[a-z]+-\w{6}$/;

/** A temporary folder. Disposing it removes the folder. */
export interface Scratch extends AsyncDisposable {
  path: string;
}

/**
 * Makes a temporary folder below `parent` (TMPDIR by default). First removes the folders of processes that were killed,
 * which may be as large as a lake.
 * @param purpose part of its name, in lower-case letters
 */
export async function makeScratch(purpose: string, parent: string = tmpdir()): Promise<Scratch> {
  await removeAbandoned(parent);
  const path = await mkdtemp(join(parent, `sightline-${purpose}-`));
  const unnamed = join(path, '.new.db');
  const lock = tryLock(unnamed)!;
  await rename(unnamed, join(path, LOCK)); // visible to others only once it is locked
  return {
    path,
    async [Symbol.asyncDispose]() {
      await remove(path);
      lock.release();
    },
  };
}

async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((candidate) => OURS.test(candidate))) {
    const folder = join(parent, name);
    if (await isAbandoned(folder)) await remove(folder).catch(() => undefined);
  }
}

/** Tries again: another process that looks whether the folder is abandoned may make its lock again meanwhile. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** True for a folder of this user whose lock exists but is not taken. */
async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    if (!(await lstat(join(folder, LOCK))).isFile()) return false;
    const lock = tryLock(join(folder, LOCK));
    lock?.release();
    return lock !== null;
  } catch {
    return false; // removed meanwhile, or another user's
  }
}
