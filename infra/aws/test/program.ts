import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const project = join(import.meta.dirname, '../../..');

/** Runs a program in the project's folder with only these settings. @returns its standard output */
export async function run(
  file: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<string> {
  const options = { cwd: project, env: { PATH: process.env['PATH'], ...settings } };
  const { stdout } = await promisify(execFile)(file, args, options);
  return stdout;
}
