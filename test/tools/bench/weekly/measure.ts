import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Measured {
  seconds: number;
  cpuSeconds: number;
  peakBytes: number;
  stdout: string;
}

const run = promisify(execFile);

/** Runs a TypeScript program of the project to its end. @throws with its output if it fails. */
export async function measureProgram(
  folder: string,
  program: string,
  args: readonly string[],
): Promise<Measured> {
  const usageFile = join(folder, 'usage.json');
  const preload = new URL('./usage.ts', import.meta.url).href;
  const started = performance.now();
  const { stdout } = await run(process.execPath, ['--import', preload, program, ...args], {
    env: { ...process.env, BENCH_USAGE_FILE: usageFile },
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - started) / 1000;
  const usage = JSON.parse(await readFile(usageFile, 'utf8')) as { maxRSS: number; cpu: number };
  return { seconds, cpuSeconds: usage.cpu, peakBytes: usage.maxRSS * 1024, stdout };
}
