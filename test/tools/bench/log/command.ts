import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { makeTestKeys } from '../../../snapshots/history.ts';
import { measureProgram } from '../weekly/measure.ts';

const program = fileURLToPath(new URL('./append.program.ts', import.meta.url));
const WORKSPACES = 10_000;

/** `bench log`: appends a week of 10,000 workspaces to a log of 100 weeks, compared with an empty log. */
export function logBench(): Command {
  return new Command('log')
    .description('Append 10,000 entries to a log of 1,000,000, compared with an empty log.')
    .option('--weeks <n>', 'weeks of 10,000 entries that the large log already contains', '100')
    .option('--json', 'print the result as JSON')
    .action(async ({ weeks, json }: { weeks: string; json?: true }) => {
      const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-log-'));
      try {
        const rows = await measure(folder, Number(weeks));
        if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
        else printTable(rows);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

async function measure(folder: string, weeks: number) {
  const { privateKey } = await makeTestKeys(folder, 'log');
  const append = async (name: string, count: number) => {
    const args = [join(folder, name), privateKey, String(WORKSPACES), String(count)];
    return await measureProgram(folder, program, args);
  };
  const empty = await append('empty', 1);
  // In steps, as a log grows: one append of everything would keep a million entries in memory.
  for (let week = 10; week <= weeks; week += 10) await append('large', week);
  const large = await append('large', weeks + 1);
  // The cost of creating the histories of the bench, and of comparing them with the log.
  const again = await append('large', weeks + 1);
  return [
    { log: 'empty', ...empty },
    { log: `${weeks * WORKSPACES} entries`, ...large },
    { log: 'the same, nothing new', ...again },
  ].map(({ log, seconds, cpuSeconds, peakBytes }) => ({
    log,
    seconds: seconds.toFixed(1),
    'CPU s': cpuSeconds?.toFixed(1) ?? null,
    'peak MB': peakBytes === null ? null : Math.round(peakBytes / 1e6),
    ratio: (seconds / empty.seconds).toFixed(1),
  }));
}
