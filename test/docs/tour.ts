import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { markedBlock, root } from './pages.ts';

/** The gateway at the end of the README's tour. */
export interface Tour {
  url: string;
  key: string;
  /** Where the commands ran: a clone, as far as they can see. */
  folder: string;
  environment: Record<string, string>;
  stop(): Promise<void>;
}

const parts = ['package.json', 'node_modules', 'gateway', 'jobs', 'lib', 'snapshots', 'docs'];

/** Runs the commands of the README's tour in a folder of their own; the gateway listens on a port of its choice. */
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
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, PORT: '0', METRICS_PORT: '0' };
  const lines = markedBlock('README.md', 'tour').trim().split('\n');
  const serve = lines.pop()!;
  const script = [...lines, 'printf %s "$KEY" > key'].join('\n');
  await promisify(execFile)('sh', ['-euc', script], { cwd: folder, env: environment });
  const key = await readFile(join(folder, 'key'), 'utf8');
  const gateway = spawn('sh', ['-euc', `exec env ${serve}`], { cwd: folder, env: environment });
  const ended = new Promise<void>((done) => gateway.on('close', () => done()));
  const url = await new Promise<string>((found, fail) => {
    let said = '';
    gateway.stderr.on('data', (chunk) => (said += String(chunk)));
    createInterface({ input: gateway.stdout }).on('line', (line) => {
      if (line.includes('"serving"')) found((JSON.parse(line) as { url: string }).url);
    });
    void ended.then(() => fail(new Error(said)));
  });
  const stop = async () => {
    gateway.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, key, folder, environment, stop };
}
