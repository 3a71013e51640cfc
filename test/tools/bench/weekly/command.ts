import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { AS_OF, forgetLog, prepareLake } from './lake.ts';
import { measureProgram } from './measure.ts';
import { report } from './report.ts';
import type { Objective, Round } from './report.ts';

interface Options {
  brands: number;
  prompts: number;
  cycles: number;
  rounds: number;
  folder: string;
  json: boolean;
}

const DESCRIPTION =
  'Time and memory of the weekly job, and of the plain way: one pass over all raw runs. The plain way writes no JSON ' +
  'and publishes nothing, so it is compared with the job without publishing.';

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

/** The plain way takes all brands at once: 0.9 GiB with 200 brands and 12 cycles, so some 9 GiB with 2,000. */
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

async function measureRound(lake: string, brands: number, work: string): Promise<Round> {
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await forgetLog(lake);
  const program = (file: string, ...args: string[]) => measureProgram(work, file, args);
  const publish = ['weekly', '--lake', lake, '--store', join(work, 'store'), '--as-of', AS_OF];
  const week = await program('jobs/cli.ts', ...publish);
  const computed = await program('test/tools/bench/weekly/compute.program.ts', lake, AS_OF);
  if (brands > PLAIN_BRANDS) return { week, 'week computed': computed };
  const plain = await program('test/tools/bench/weekly/plain.program.ts', lake, AS_OF, work);
  return { week, 'week computed': computed, 'plain way': plain };
}

const GIB = 1 << 30;

/** The objectives of a lake of a size. */
function objectivesOf({ brands, prompts, cycles }: Options): Objective[] {
  const isCompared = prompts === 25 && brands === 200 && (cycles === 12 || cycles === 104);
  return [
    { name: 'week', of: 'peakBytes', baseline: null, atMost: 2 * GIB },
    { name: 'week computed', of: 'cpuSeconds', baseline: 'plain way', atMost: isCompared ? 1.3 : null },
  ];
}
