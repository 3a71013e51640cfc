import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeUnlessMissing } from '../support/requires.ts';

export const root = join(import.meta.dirname, '../..');
export const modules = join(root, 'clients/node_modules');

/**
 * `describe`, for tests that need what the packages are built and checked with. Where that is not installed they are
 * skipped, under a name that says how to install it.
 */
export function describeWithClients(name: string, body: () => void): void {
  const missing = existsSync(join(modules, '.package-lock.json')) ? [] : ['packages of clients/'];
  describeUnlessMissing(missing, 'npm ci --prefix clients', name, body);
}

export interface Ran {
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, with the environment that it is given and the PATH. @throws Error with both outputs. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Ran> {
  const { PATH = '' } = process.env;
  try {
    return await promisify(execFile)(program, args, { cwd, env: { PATH, HOME: cwd, NO_COLOR: '1', ...env } });
  } catch (error) {
    const { stdout, stderr } = error as Ran;
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}

/** Builds and packs a package of `clients/` into a folder; returns the file and the paths in it. */
export async function pack(name: string, folder: string): Promise<{ file: string; paths: string[] }> {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--pack-destination', folder],
    join(root, 'clients', name),
  );
  const json = stdout.slice(stdout.indexOf('[\n'));
  const [{ filename, files }] = JSON.parse(json) as [{ filename: string; files: { path: string }[] }];
  return { file: join(folder, filename), paths: files.map(({ path }) => path) };
}

/** Installs packed packages into a new project in a folder, without a network. */
export async function install(files: readonly string[], folder: string): Promise<void> {
  await run('npm', ['init', '--yes'], folder);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], folder);
}
