import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from './file-lock.ts';
import type { FileLock } from './file-lock.ts';

/** In each folder, locked for as long as the process lives that made it. */
const LOCK = '.owner.db';
const OURS = /^sightline-[a-z]+-\w{6}$/;

/** By folder. A lock that nothing refers to would be collected as garbage, and so released. */
const held = new Map<string, FileLock>();

/**
 * Makes a folder for the length of one piece of work, below `parent` (TMPDIR); the caller removes it. Those that
 * processes left behind which were killed are removed first: they may be as large as a lake.
 * @param purpose small letters; part of its name.
 */
export async function makeScratch(purpose: string, parent: string = tmpdir()): Promise<string> {
  releaseRemoved();
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `sightline-${purpose}-`));
  const unnamed = join(folder, '.new.db');
  held.set(folder, tryLock(unnamed)!);
  await rename(unnamed, join(folder, LOCK)); // visible to others only once it is locked
  return folder;
}

function releaseRemoved(): void {
  for (const [folder, lock] of held) {
    if (existsSync(folder)) continue;
    lock.release();
    held.delete(folder);
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((candidate) => OURS.test(candidate))) {
    const folder = join(parent, name);
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true });
  }
}

/** Only a folder of this user that a process has locked, which has ended since. */
async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    if (!(await lstat(join(folder, LOCK))).isFile()) return false;
    const lock = tryLock(join(folder, LOCK));
    lock?.release();
    return lock !== null;
  } catch {
    return false; // gone since, or not ours
  }
}
