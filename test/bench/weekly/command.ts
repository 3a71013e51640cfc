import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { printTable } from '../../../lib/cli.ts';
import { wholeNumber } from '../../../jobs/options.ts';
import { AS_OF, prepareLake, restoreFacts } from './lake.ts';
import type { Lake, Size } from './lake.ts';
import { measureCopy, measureProgram } from './measure.ts';
import type { Measured } from './measure.ts';

interface Options {
  brands: number;
  prompts: number;
  cycles: number;
  besideBrands?: number;
  besideCycles?: number;
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
    .option(
      '--beside-brands <n>',
      'measure only the week, and that of a lake with so many brands, in turns',
      wholeNumber(1),
    )
    .option('--beside-cycles <n>', 'likewise of a lake with so many cycles', wholeNumber(4))
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
  const work = join(options.folder, 'work');
  const lake = await prepareLake(options.folder, options, say);
  const beside = sizeBeside(options);
  const other = beside === null ? null : await prepareLake(options.folder, beside, say);
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`);
    if (other === null) rounds.push(await measureRound(lake, work));
    else rounds.push({ beside: await measureWeek(other, work), week: await measureWeek(lake, work) });
  }
  report(rounds, options);
}

function sizeBeside(options: Options): Size | null {
  const { besideBrands: brands, besideCycles: cycles } = options;
  if (brands === undefined && cycles === undefined) return null;
  return { ...options, brands: brands ?? options.brands, cycles: cycles ?? options.cycles };
}

async function emptyFolder(path: string): Promise<(name: string) => string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  return (name) => join(path, name);
}

async function measureWeek(lake: Lake, work: string): Promise<Measured> {
  const path = await emptyFolder(work);
  await restoreFacts(lake);
  const args = ['weekly', '--lake', lake.lake, '--store', path('week'), '--as-of', AS_OF];
  return await measureProgram(work, 'jobs/cli.ts', args);
}

async function measureRound(lake: Lake, work: string): Promise<Round> {
  const week = await measureWeek(lake, work);
  const path = (name: string) => join(work, name);
  const program = (file: string, ...args: string[]) => measureProgram(work, file, args);
  const floor = (...args: string[]) => program('test/bench/weekly/floor.program.ts', ...args, work);

  const copy = await measureCopy(path('week'), path('copy'));
  const readWindow = await floor('read', lake.lake, '2026-11-02 23:00:00');
  const readAll = await floor('read', lake.lake, '1970-01-01');
  const at = ['--lake', lake.lake, '--store', path('full'), '--as-of', AS_OF];
  const full = await program('jobs/cli.ts', 'weekly', '--full', ...at);
  const publish = await program('test/bench/weekly/publish.program.ts', path('week'), path('published'));
  publish.seconds = Number(publish.stdout); // without the reading of what is published
  const convert = await floor('convert', join(lake.week, 'runs.ndjson'), '');
  const drop = ['--from', lake.week, '--lake', path('ingested')];
  const ingest = await program('jobs/cli.ts', 'ingest', ...drop);
  return { 'read all': readAll, full, 'read window': readWindow, week, copy, publish, convert, ingest };
}

interface Objective {
  name: string;
  of: 'seconds' | 'peakBytes';
  /** What it is divided by, taken together. */
  floor: readonly string[];
  atMost: number | null;
}

const objectives: readonly Objective[] = [
  { name: 'full', of: 'seconds', floor: ['read all', 'copy'], atMost: 5 },
  { name: 'week', of: 'seconds', floor: ['read window', 'copy'], atMost: 4 },
  { name: 'publish', of: 'seconds', floor: ['copy'], atMost: 3 },
  { name: 'ingest', of: 'seconds', floor: ['convert'], atMost: 3 },
];

/** Of 104 cycles against 8, and of ten times the brands. */
function objectivesBeside({ besideBrands }: Options): Objective[] {
  const [seconds, memory] = besideBrands === undefined ? [1.3, 1.3] : [12, null];
  return [
    { name: 'week', of: 'seconds', floor: ['beside'], atMost: seconds },
    { name: 'week', of: 'peakBytes', floor: ['beside'], atMost: memory },
  ];
}

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
  const compared = sizeBeside(options) === null ? objectives : objectivesBeside(options);
  const ratios = compared.map(({ name, of, floor, atMost }) => {
    const times = (round: Round) => round[name]![of]! / sum(floor.map((each) => round[each]![of]!));
    return { name, of, floor: floor.join(' + '), ratio: median(rounds.map(times))!, objective: atMost };
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
  printTable(
    ratios.map(({ of, ratio, ...row }) => ({
      ...row,
      of: of === 'seconds' ? 'time' : 'memory',
      ratio: ratio.toFixed(1),
    })),
  );
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
