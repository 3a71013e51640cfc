import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../lib/failure.ts';

const WEEKS = 5;
const WEEK_MS = 7 * 86_400_000;

/**
 * Makes demo data, ingests it, and publishes its last five weeks; the newest is as of now.
 * @param folder gets the data (`drop`)
 * @param now in milliseconds since the Unix epoch
 * @param run runs a command of a module, such as `weekly` of `jobs`
 * @throws Failure with the message of the command that failed
 */
export async function publishDemo(folder: string, now: number, run = runAsProcess): Promise<void> {
  const drop = join(folder, 'drop');
  // Tracking data of this day covers all five weeks.
  const firstDay = new Date(now - WEEKS * WEEK_MS).toISOString().slice(0, 10);
  if (!(await exists(drop))) {
    const size = ['--workspaces', '1', '--brands', '4', '--prompts', '8'];
    await step('making demo data', async () => await run('jobs', ['demo', '--to', drop, ...size]));
  }
  await step('ingesting it', async () => await run('jobs', ['ingest', '--from', drop, '--date', firstDay]));
  await step('publishing five weeks', async () => {
    for (let ago = WEEKS - 1; ago >= 0; ago -= 1)
      await run('jobs', ['weekly', '--as-of', new Date(now - ago * WEEK_MS).toISOString()]);
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function step(what: string, work: () => Promise<void>): Promise<void> {
  process.stdout.write(`${what} …`);
  const started = performance.now();
  try {
    await work();
    process.stdout.write(` ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } finally {
    process.stdout.write('\n');
  }
}

/** Runs one of our own commands as a process, because the gateway must not import the job. */
async function runAsProcess(module: string, args: string[]): Promise<void> {
  const program = join(import.meta.dirname, '..', module, 'cli.ts');
  try {
    await promisify(execFile)(process.execPath, ['--disable-sigusr1', program, ...args], {
      maxBuffer: Infinity,
    });
  } catch (error) {
    const { stderr } = error as { stderr: string };
    throw new Failure(stderr.trim().replace(/^sightline: /, '') || String(error), { cause: error });
  }
}
