import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { measureProgram } from '../weekly/measure.ts';
import { report } from '../weekly/report.ts';
import type { Objective, Round } from '../weekly/report.ts';
import { prepareHistory, prepareWeek, runsOf } from './history.ts';

interface Options {
  brands: number;
  prompts: number;
  historyCycles: number;
  rounds: number;
  folder: string;
  json: boolean;
}

export function ingestBench(): Command {
  return new Command('ingest')
    .description(
      'Ingest of a week, to an empty lake and after a long history, compared with DuckDB’s read_json to Parquet, in turns.',
    )
    .option('--brands <n>', 'brands of the week', wholeNumber(1), 200)
    .option('--prompts <n>', 'prompts of each brand', wholeNumber(1), 25)
    .option('--history-cycles <n>', 'weeks that the lake already has', wholeNumber(1), 104)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .option('--folder <path>', 'where week and history are written, once', '.data/bench')
    .option('--json', 'print JSON', false)
    .action(run);
}

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

async function run(options: Options): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  say('making the week and the history, if they are not there yet');
  const week = await prepareWeek(options.folder, options);
  const history = await prepareHistory(options.folder, options, options.historyCycles);
  const work = join(options.folder, 'work');
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    say(`round ${round} of ${options.rounds}`);
    rounds.push(await measureRound(week, history, work));
  }
  await rm(work, { recursive: true });
  report(rounds, objectivesOf(options), options.json ? options : null);
}

async function measureRound(week: string, history: string, work: string): Promise<Round> {
  await rm(work, { recursive: true, force: true });
  const long = join(work, 'long');
  await cp(history, long, { recursive: true });
  const ingestInto = async (lake: string) =>
    await measureProgram(work, 'jobs/cli.ts', ['ingest', '--from', week, '--lake', lake]);
  return {
    'read_json to Parquet': await measureProgram(work, 'test/tools/bench/ingest/convert.program.ts', [
      runsOf(week),
      work,
    ]),
    ingest: await ingestInto(join(work, 'empty')),
    'ingest after history': await ingestInto(long),
  };
}

const OF_READ_JSON = 5;
const MORE_PER_YEAR = 0.1;

function objectivesOf({ historyCycles }: Options): Objective[] {
  const longer = 1 + (MORE_PER_YEAR * historyCycles) / 52;
  return (['seconds', 'cpuSeconds'] as const).flatMap((of) => [
    { name: 'ingest', of, baseline: 'read_json to Parquet', atMost: OF_READ_JSON },
    { name: 'ingest after history', of, baseline: 'ingest', atMost: longer },
  ]);
}
