import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '../lib/config.ts';
import { Unreachable } from '../lib/failure.ts';

export interface EndedJob {
  status: number | null;
  output: string;
  /** What it printed on standard error, without the name of the program. */
  complaint: string;
}

/**
 * Runs a command of the job on a lake, as a process: this layer must not import the code that it checks.
 * @throws Unreachable if the job could not reach the lake
 */
export async function runJob(
  command: string,
  lake: StoreLocation,
  args: readonly string[] = [],
): Promise<EndedJob> {
  const job = fileURLToPath(new URL('../jobs/cli.ts', import.meta.url));
  const place = lake.kind === 's3' ? lake.url : lake.path;
  const child = spawn(process.execPath, ['--disable-sigusr1', job, command, '--lake', place, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [status, output, printed] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  const complaint = printed.trim().replace(/^sightline: /, '');
  if (status === 3) throw new Unreachable(complaint);
  return { status, output, complaint };
}
