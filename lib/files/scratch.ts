import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from './file-lock.ts';
import type { FileLock } from './file-lock.ts';

/** In each scratch folder: locked until the process that made the folder ends. */
const LOCK = '.owner.db';
const OURS = /^sightline-[a-z]+-\w{6}$/;

/** By folder. Keeps a reference to each lock: a garbage-collected lock is released. */
const held = new Map<string, FileLock>();

/**
 * Makes a temporary folder below `parent` (TMPDIR by default) and returns its path; the caller removes it. First
 * removes the folders of processes that were killed, which may be as large as a lake.
 * @param purpose part of its name, in lower-case letters
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
