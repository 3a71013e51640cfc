import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../docs/pages.ts';
import { shared } from './plain-debians.ts';

/** The folder with the release of this project, with what is not in git yet; all tests of a run share it. */
export async function sharedRelease(): Promise<string> {
  const program = join(root, 'infra/release');
  return await shared('release', async (folder) => {
    await promisify(execFile)(program, ['--allow-changes', folder]);
  });
}

/** The path of the packed file in its folder. */
export function packedIn(folder: string): string {
  const name = readdirSync(folder).find((each) => each.endsWith('.tar.gz'));
  return join(folder, name!);
}
