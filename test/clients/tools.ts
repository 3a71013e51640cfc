import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describeUnlessMissing } from '../support/requires.ts';

export const root = join(import.meta.dirname, '../..');
export const modules = join(root, 'clients/node_modules');

/** The oldest Node that the packages support. */
export const node20 = ['linux-x64', 'linux-arm64', 'darwin-arm64']
  .map((machine) => join(modules, `node-20-${machine}/bin/node`))
  .find(existsSync);

/** For programs that a test starts without its environment: they start in half the time. */
export const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE']! };

/**
 * `describe` for tests that need the build tools of the packages. If these are not installed, the tests are skipped,
 * under a name that says how to install them.
 */
export function describeWithClients(name: string, body: () => void): void {
  const missing = existsSync(join(modules, '.package-lock.json')) ? [] : ['packages of clients/'];
  describeUnlessMissing(missing, 'npm ci --prefix clients', name, body);
}

export interface Ran {
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, with the given environment and the PATH. @throws Error with both outputs. */
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

/**
 * Builds and packs a package of `clients/` into a folder; returns the file and the paths in it. It works on a copy,
 * because another test may be reading the built files.
 */
export async function pack(name: string, folder: string): Promise<{ file: string; paths: string[] }> {
  const copy = join(folder, '.packed');
  await mkdir(join(copy, 'clients'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) await copyFile(join(root, file), join(copy, file));
  await cp(join(root, 'clients'), join(copy, 'clients'), { recursive: true, filter: isSource });
  for (const path of ['lib/proofs', 'lib/weeks'])
    await cp(join(root, path), join(copy, path), { recursive: true });
  for (const path of ['clients/node_modules', `clients/${name}/node_modules`])
    if (existsSync(join(root, path))) await symlink(join(root, path), join(copy, path));
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, join(copy, 'clients', name));
  await rm(copy, { recursive: true });
  const json = stdout.slice(stdout.indexOf('[\n'));
  const [{ filename, files }] = JSON.parse(json) as [{ filename: string; files: { path: string }[] }];
  return { file: join(folder, filename), paths: files.map(({ path }) => path) };
}

function isSource(path: string): boolean {
  return !/^(?:node_modules|dist)$/.test(basename(path));
}

/** Installs packed packages into a new project in a folder, without a network. */
export async function install(files: readonly string[], folder: string): Promise<void> {
  await run('npm', ['init', '--yes'], folder);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], folder);
}
