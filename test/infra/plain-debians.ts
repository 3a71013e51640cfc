import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../lib/files/file-lock.ts';

/** What all tests of a run share. `run`: the id of its main process. */
const sharedBy = (run: number) => join(tmpdir(), `sightline-debian-${run}`);

/** The path of a folder that the first test of a run makes, and all others use. */
export async function shared(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  await mkdir(sharedBy(process.ppid), { recursive: true });
  const folder = join(sharedBy(process.ppid), name);
  const makeOnce = async () => {
    if (existsSync(folder)) return;
    await make(`${folder}.new`);
    await rename(`${folder}.new`, folder);
  };
  await withLock(`${folder}.lock`, makeOnce, 15 * 60_000);
  return folder;
}

/** Removes a folder with tens of thousands of files, in a third of the time that Node takes. */
export async function remove(folder: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', folder]);
}

/** Vitest calls this in its main process (vitest.config.ts), and what it returns at the end of the run. */
export default function setUp(): () => Promise<void> {
  return async () => await remove(sharedBy(process.pid));
}
