import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask } from '../gateway/ask.ts';
import { startServer } from '../support/http-server.ts';
import { describeUnlessMissing } from '../support/requires.ts';

export const root = join(import.meta.dirname, '../..');
export const modules = join(root, 'clients/node_modules');

/** The oldest Node that the packages support. */
export const node20 = ['linux-x64', 'linux-arm64', 'darwin-arm64']
  .map((machine) => join(modules, `node-20-${machine}/bin/node`))
  .find(existsSync);

/**
 * `describe` for tests that need the build tools of the packages. If these are not installed, the tests are skipped,
 * under a name that says how to install them.
 */
export function describeWithClients(name: string, body: () => void): void {
  const missing = existsSync(join(modules, '.package-lock.json')) ? [] : ['packages of clients/'];
  describeUnlessMissing(missing, 'npm ci --prefix clients', name, body);
}

/** Runs a program to its end, with the given environment and the PATH. @throws Error with both outputs. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Record<'stdout' | 'stderr', string>> {
  const { PATH = '' } = process.env;
  try {
    return await promisify(execFile)(program, args, { cwd, env: { PATH, HOME: cwd, NO_COLOR: '1', ...env } });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}

/**
 * A server between a client and the API, which alters the texts of responses for the length of a test; those that become
 * null are not found.
 */
export async function startLiar(
  api: string,
  alter: (text: string, path: string) => string | null,
): Promise<string> {
  return await startServer(({ url = '', headers: { authorization = '' } }, response) => {
    const answer = async () => {
      const {
        status,
        headers,
        text: whole,
      } = await ask(api, url, { headers: ['Authorization', authorization] });
      const text = alter(whole, url);
      const kept = ['x-snapshot-id', 'x-request-id', 'retry-after'] as const;
      for (const name of kept) if (headers[name] !== undefined) response.setHeader(name, headers[name]);
      if (text === null) response.writeHead(404).end('{"error":{"code":"not_found","message":"none"}}');
      else response.writeHead(status).end(text);
    };
    void answer();
  });
}

/** Builds and packs a package of `clients/` into a folder; returns the file and the paths in it. */
export async function pack(name: string, folder: string): Promise<{ file: string; paths: string[] }> {
  const args = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, join(root, 'clients', name), { HOME: folder });
  const json = stdout.slice(stdout.indexOf('[\n'));
  const [{ filename, files }] = JSON.parse(json) as [{ filename: string; files: { path: string }[] }];
  return { file: join(folder, filename), paths: files.map(({ path }) => path) };
}

/** Installs packed packages into a new project in a folder, without a network. */
export async function install(files: readonly string[], folder: string): Promise<void> {
  await run('npm', ['init', '--yes'], folder);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], folder);
}
