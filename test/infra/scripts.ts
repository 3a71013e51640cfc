import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';

/** An /etc/sightline in a folder of its own. */
export async function settingsFolder(files: Record<string, Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['sightline', 'gateway', 'job']) {
    const lines = Object.entries(files[name] ?? {}).map(([key, value]) => `${key}='${value}'\n`);
    await writeFile(join(folder, `${name}.env`), lines.join(''));
  }
  return folder;
}

/** Runs a script of infra/systemd. */
export async function script(
  name: string,
  environment: Record<string, string>,
  ...args: string[]
): Promise<void> {
  const env = { PATH: process.env['PATH'], ...environment };
  await promisify(execFile)(join(root, 'infra/systemd', name), args, { env });
}
