import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { USUAL_PUBLIC_KEY } from '../../../../snapshots/log/identity.ts';
import { AS_OF, forgetLog, prepareLake } from './lake.ts';
import type { Lake } from './lake.ts';
import { measureCopy, measureProgram, stepsOf } from './measure.ts';
import type { Measured } from './measure.ts';
import { objectivesOf } from './objectives.ts';
import type { SizeOptions } from './objectives.ts';
import { report } from './report.ts';
import type { Round } from './report.ts';

interface Options extends SizeOptions {
  rounds: number;
  folder: string;
  json: boolean;
}

const DESCRIPTION =
  'Time and memory of the weekly job and its steps, and of two baselines: reading the same data, and the plain way, one ' +
  'pass over all raw runs. The plain way writes no JSON and publishes nothing, so it is compared ' +
  'with the job without publishing.';

export function weeklyBench(): Command {
  return new Command('weekly')
    .description(DESCRIPTION)
    .option('--brands <n>', 'brands of the lake', wholeNumber(1), 2000)
    .option('--prompts <n>', 'prompts of each brand', wholeNumber(1), 25)
    .option('--cycles <n>', 'weekly cycles', wholeNumber(4), 12)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .option('--folder <path>', 'where the lake is written, once', '.data/bench')
    .option('--json', 'print JSON', false)
    .action(run);
}

/** It takes all brands at once: 0.9 GiB with 200 brands and 12 cycles, so some 9 GiB with 2,000. */
const PLAIN_BRANDS = 500;

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

async function run(options: Options): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  const work = join(options.folder, 'work');
  const lake = await prepareLake(options.folder, options, say);
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`);
    rounds.push(await measureRound(lake, options.brands, work));
  }
  report(rounds, objectivesOf(options), options.json ? options : null);
}

async function emptyFolder(path: string): Promise<(name: string) => string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  return (name) => join(path, name);
}

async function measureWeek(lake: Lake, work: string): Promise<Measured> {
  const path = await emptyFolder(work);
  await forgetLog(lake.lake);
  const args = ['weekly', '--lake', lake.lake, '--store', path('week'), '--as-of', AS_OF];
  return await measureProgram(work, 'jobs/cli.ts', args);
}

async function measureRound(lake: Lake, brands: number, work: string): Promise<Round> {
  const week = await measureWeek(lake, work);
  const path = (name: string) => join(work, name);
  const program = (file: string, ...args: string[]) => measureProgram(work, file, args);

  const copy = await measureCopy(path('week'), path('copy'));
  const steps = await measureSteps(lake, work);
  const readAll = await program('test/tools/bench/weekly/floor.program.ts', 'read', lake.lake, work);
  const plain =
    brands > PLAIN_BRANDS
      ? null
      : await program('test/tools/bench/weekly/plain.program.ts', lake.lake, AS_OF, work);
  const publish = await measurePublish(work, path('published'));
  const delivered = join(lake.week, 'runs.ndjson');
  const convert = await program('test/tools/bench/weekly/floor.program.ts', 'convert', delivered, work);
  const drop = ['--from', lake.week, '--lake', path('ingested')];
  const ingest = await program('jobs/cli.ts', 'ingest', ...drop);
  return {
    'read all': readAll,
    week,
    ...steps,
    ...(plain === null ? {} : { 'plain way': plain }),
    copy,
    publish,
    convert,
    ingest,
  };
}

/** The computation of the job without publishing: in all, and each step. */
async function measureSteps({ lake }: Lake, work: string): Promise<Round> {
  const computed = await measureProgram(work, 'test/tools/bench/weekly/compute.program.ts', [lake, AS_OF]);
  const steps = Object.entries(stepsOf(computed)).map(([name, step]) => [`week: ${name}`, step] as const);
  return { 'week computed': computed, ...Object.fromEntries(steps) };
}

/** Publishing the week's store to a folder or a bucket, without reading it. */
async function measurePublish(work: string, to: string): Promise<Measured> {
  const program = 'test/tools/bench/weekly/publish.program.ts';
  const publish = await measureProgram(work, program, [
    join(work, 'week'),
    to,
    USUAL_PUBLIC_KEY,
    join(work, 'scratch'),
  ]);
  return { ...publish, seconds: Number(publish.stdout) };
}
