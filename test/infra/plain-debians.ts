import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a test run keeps its plain Debians. `run`: the id of its main process. */
export function plainDebians(run: number): string {
  return join(tmpdir(), `sightline-debian-${run}`);
}

/** Vitest calls this in its main process (vitest.config.ts), and what it returns at the end of the run. */
export default function setUp(): () => Promise<void> {
  return async () => await rm(plainDebians(process.pid), { recursive: true, force: true });
}
