import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { printTable } from '../../../lib/cli.ts';
import { wholeNumber } from '../../../jobs/options.ts';
import { AS_OF, prepareLake, restoreFacts } from './lake.ts';
import type { Lake } from './lake.ts';
import { measureCopy, measureProgram } from './measure.ts';
import type { Measured } from './measure.ts';

interface Options {
  brands: number;
  prompts: number;
  cycles: number;
  rounds: number;
  folder: string;
  json: boolean;
}

export function weeklyBench(): Command {
  return new Command('weekly')
    .description('Seconds and memory of the weekly job beside the least that it could do, in turns.')
    .option('--brands <n>', 'brands of the lake', wholeNumber(1), 2000)
    .option('--prompts <n>', 'prompts of each brand', wholeNumber(1), 25)
    .option('--cycles <n>', 'weekly cycles', wholeNumber(4), 12)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .option('--folder <path>', 'where the lake is made, once', '.data/bench')
    .option('--json', 'print JSON', false)
    .action(run);
}

type Round = Record<string, Measured>;

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

async function run(options: Options): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  const lake = await prepareLake(options.folder, options, say);
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`);
    rounds.push(await measureRound(lake, join(options.folder, 'work')));
  }
  report(rounds, options);
}

async function measureRound(lake: Lake, work: string): Promise<Round> {
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const path = (name: string) => join(work, name);
  const program = (file: string, ...args: string[]) => measureProgram(work, file, args);
  const job = (command: string, ...args: string[]) => program('jobs/cli.ts', command, ...args);
  const weekly = (store: string, ...more: string[]) =>
    job('weekly', '--lake', lake.lake, '--store', path(store), '--as-of', AS_OF, ...more);
  const floor = (...args: string[]) => program('test/bench/weekly/floor.program.ts', ...args, work);

  const readAll = await floor('read', lake.lake, '1970-01-01');
  const full = await weekly('full', '--full');
  const readWindow = await floor('read', lake.lake, '2026-11-02 23:00:00');
  await restoreFacts(lake);
  const week = await weekly('week');
  const copy = await measureCopy(path('week'), path('copy'));
  const publish = await program('test/bench/weekly/publish.program.ts', path('week'), path('published'));
  publish.seconds = Number(publish.stdout); // without the reading of what is published
  const convert = await floor('convert', join(lake.week, 'runs.ndjson'), '');
  const ingest = await job('ingest', '--from', lake.week, '--lake', path('ingested'));
  return { 'read all': readAll, full, 'read window': readWindow, week, copy, publish, convert, ingest };
}

/** What is measured, its floor, and how many times its floor it may cost. */
const objectives = [
  { name: 'full', floor: ['read all', 'copy'], times: 5 },
  { name: 'week', floor: ['read window', 'copy'], times: 4 },
  { name: 'publish', floor: ['copy'], times: 3 },
  { name: 'ingest', floor: ['convert'], times: 3 },
] as const;

function report(rounds: readonly Round[], options: Options): void {
  const rows = Object.keys(rounds[0]!).map((name) => {
    const of = (pick: (measured: Measured) => number | null) =>
      median(rounds.map((round) => pick(round[name]!)));
    return {
      name,
      seconds: of((m) => m.seconds)!,
      cpu: of((m) => m.cpuSeconds),
      peak: of((m) => m.peakBytes),
    };
  });
  const ratios = objectives.map(({ name, floor, times }) => {
    const ratio = median(
      rounds.map((round) => round[name]!.seconds / sum(floor.map((f) => round[f]!.seconds))),
    )!;
    return { name, floor: floor.join(' + '), ratio, objective: times };
  });
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ options, rows, ratios })}\n`);
    return;
  }
  printTable(
    rows.map(({ name, seconds, cpu, peak }) => ({
      name,
      seconds: seconds.toFixed(1),
      'CPU s': cpu?.toFixed(1) ?? null,
      'peak MB': peak === null ? null : Math.round(peak / 1e6),
    })),
  );
  process.stdout.write('\n');
  printTable(ratios.map(({ ratio, ...row }) => ({ ...row, ratio: ratio.toFixed(1) })));
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
