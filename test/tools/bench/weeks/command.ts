import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { printTable } from '../../../../lib/cli.ts';
import { prepareLake } from '../weekly/lake.ts';
import { measureProgram } from '../weekly/measure.ts';

interface Options {
  brands: number;
  prompts: number;
  seed: number;
  folder: string;
}

const WEEKS = 9;
/** One cycle more: so the first week has one before it. */
const CYCLES = WEEKS + 1;
const LAST = Date.parse('2026-11-23T12:00:00Z');
const WEEK_MS = 7 * 86_400_000;
/** DuckDB plans a join by estimates, which differ from week to week: a wrong plan takes a hundred times as long. */
const MOST_TIMES = 3;

/** `bench weeks`: the CPU time of each of nine weeks, one after the other. */
export function weeksBench(): Command {
  return new Command('weeks')
    .description('CPU time of nine weeks in a row: no week may take three times as long as the others.')
    .option('--brands <n>', 'brands of the lake', wholeNumber(1), 100)
    .option('--prompts <n>', 'prompts of each brand', wholeNumber(1), 25)
    .option('--seed <n>', 'seed of the invented data', wholeNumber(0), 3)
    .option('--folder <path>', 'where the lake is written, once', '.data/bench')
    .action(run);
}

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

async function run({ folder, ...size }: Options): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lake = await prepareLake(folder, { ...size, cycles: CYCLES, asOf: LAST }, say);
  const work = join(folder, 'work');
  const rows = [];
  for (let week = 1; week <= WEEKS; week++) {
    await rm(work, { recursive: true, force: true });
    await mkdir(work);
    const asOf = new Date(LAST - (WEEKS - week) * WEEK_MS).toISOString();
    const measured = await measureProgram(work, 'test/tools/bench/weekly/compute.program.ts', [lake, asOf]);
    rows.push({ asOf, cpu: measured.cpuSeconds, peakMb: Math.round(measured.peakBytes / 1e6) });
  }
  printTable(
    rows.map(({ asOf, cpu, peakMb }) => ({
      week: asOf.slice(0, 10),
      'CPU s': cpu.toFixed(1),
      'peak MB': peakMb,
    })),
  );
  const sorted = rows.map(({ cpu }) => cpu).toSorted((a, b) => a - b);
  const times = sorted.at(-1)! / sorted[Math.floor(WEEKS / 2)]!;
  process.stdout.write(`\nat most ${times.toFixed(2)} times the median; objective: ${MOST_TIMES}\n`);
  if (times > MOST_TIMES) process.exitCode = 1;
}
