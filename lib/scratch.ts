import { lstat, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDead, ownIdentity } from './process.ts';
import type { ProcessIdentity } from './process.ts';

const OWNER = '.owner';
const OURS = /^sightline-[a-z]+-\w{6}$/;

/**
 * Makes a folder for the length of one piece of work, below `parent` (TMPDIR); whoever asked for it removes it. Those
 * that processes left behind which were killed are removed first: they may be as large as a lake.
 * @param purpose small letters; part of its name.
 */
export async function makeScratch(purpose: string, parent: string = tmpdir()): Promise<string> {
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `sightline-${purpose}-`));
  await writeFile(join(folder, OWNER), JSON.stringify(ownIdentity));
  return folder;
}

async function removeAbandoned(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((candidate) => OURS.test(candidate))) {
    const folder = join(parent, name);
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true });
  }
}

/** Only what says of itself that a dead process of this machine made it, and belongs to this user. */
async function isAbandoned(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    return isDead(JSON.parse(await readFile(join(folder, OWNER), 'utf8')) as ProcessIdentity);
  } catch {
    return false; // gone since, or says nothing
  }
}
