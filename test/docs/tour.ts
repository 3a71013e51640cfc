import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { programEnvironment } from '../support/environment.ts';
import { markedBlock, root } from './pages.ts';

/** The gateway at the end of docs/tour.md. */
export interface Tour {
  url: string;
  key: string;
  /** The folder in which the commands ran; it looks like a clone. */
  folder: string;
  environment: Record<string, string>;
  /** The lines of the gateway's log so far. */
  log: string[];
  stop(): Promise<void>;
}

export const parts = ['package.json', 'node_modules', 'gateway', 'jobs', 'lib', 'snapshots', 'docs'];

/** Runs the commands of docs/tour.md in a separate folder; the gateway listens on a free port. */
export async function takeTour(): Promise<Tour> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-tour-'));
  try {
    return await walk(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function walk(folder: string): Promise<Tour> {
  for (const part of parts) await symlink(join(root, part), join(folder, part));
  const environment = { ...programEnvironment(), HOME: folder, PORT: '0', METRICS_PORT: '0' };
  const lines = markedBlock('docs/tour.md', 'tour').trim().split('\n');
  const serve = lines.pop()!;
  await promisify(execFile)('sh', ['-euc', lines.join('\n')], { cwd: folder, env: environment });
  const key = (await readFile(join(folder, 'my/key'), 'utf8')).trim();
  const gateway = await startGateway(serve, folder, environment);
  const stop = async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...gateway, key, folder, environment, stop };
}

/** Runs a page's command that serves, until it is stopped. */
export async function startGateway(
  serve: string,
  folder: string,
  environment: Record<string, string>,
): Promise<Pick<Tour, 'url' | 'log' | 'stop'>> {
  const gateway = spawn('sh', ['-euc', `exec env ${serve}`], {
    cwd: folder,
    env: { DRAIN_SECONDS: '0', ...environment },
  });
  const ended = new Promise<void>((done) => gateway.on('close', () => done()));
  const log: string[] = [];
  const url = await new Promise<string>((found, fail) => {
    let said = '';
    gateway.stderr.on('data', (chunk) => (said += String(chunk)));
    createInterface({ input: gateway.stdout }).on('line', (line) => {
      log.push(line);
      if (line.includes('"serving"')) found((JSON.parse(line) as { url: string }).url);
    });
    void ended.then(() => fail(new Error(said)));
  });
  const stop = async () => {
    gateway.kill('SIGTERM');
    await ended;
  };
  return { url, log, stop };
}
