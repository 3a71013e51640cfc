import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '../lib/config.ts';
import type { z } from 'zod';
import { Failure, Unreachable, orNull } from '../lib/failure.ts';

/**
 * Runs a command of the job on a lake, as a process: this layer must not import the code that it checks.
 * @param schema of the JSON that it prints
 * @throws Failure with what it said instead, or how it ended if it said nothing; Unreachable if it could not reach the lake
 */
export async function runJob<T>(
  command: string,
  schema: z.ZodType<T>,
  lake: StoreLocation,
  args: readonly string[] = [],
): Promise<T> {
  const job = fileURLToPath(new URL('../jobs/cli.ts', import.meta.url));
  const place = lake.kind === 's3' ? lake.url : lake.path;
  const child = spawn(process.execPath, ['--disable-sigusr1', job, command, '--lake', place, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? signal));
  });
  const [status, output, printed] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  const complaint = printed.trim().replace(/^sightline: /, '');
  if (status === 3) throw new Unreachable(complaint);
  const report = schema.safeParse(orNull<unknown>(() => JSON.parse(output)));
  if (report.success) return report.data;
  throw new Failure(complaint === '' ? `"job ${command}" ended with ${status}` : complaint);
}
