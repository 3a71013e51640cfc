import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../lib/files/file-lock.ts';
import { root } from '../docs/pages.ts';
import { plainDebians } from './plain-debians.ts';

/** The folder with the release of this project, with what is not in git yet; all tests of a run share it. */
export async function sharedRelease(): Promise<string> {
  const folder = join(plainDebians(process.ppid), 'release');
  await mkdir(dirname(folder), { recursive: true });
  const make = async () => {
    if (existsSync(folder)) return;
    await promisify(execFile)(join(root, 'infra/release'), ['--allow-changes', `${folder}.new`]);
    await rename(`${folder}.new`, folder);
  };
  await withLock(`${folder}.lock`, make, 15 * 60_000);
  return folder;
}

/** The path of the packed file in its folder. */
export function packedIn(folder: string): string {
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tar.gz'))!,
  );
}
