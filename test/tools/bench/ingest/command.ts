import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { demandObjectives } from '../objectives.ts';
import { emptyWork, prepareHistory, prepareWeek, runsOf } from '../weekly/lakes.ts';
import { measureProgram } from '../weekly/measure.ts';
import { measureRounds, ratioOf } from '../weekly/rounds.ts';
import type { Round } from '../weekly/rounds.ts';

interface Options {
  brands: number;
  rounds: number;
}

const HISTORY_CYCLES = 104;
const MOST_OF_READ_JSON = 5;
/** A tenth more for each year of history. */
const MOST_OF_EMPTY_LAKE = 1 + (0.1 * HISTORY_CYCLES) / 52;

export function ingestBench(): Command {
  return new Command('ingest')
    .description(
      'Ingest of a week, to an empty lake and after two years, compared with DuckDB’s read_json to Parquet, in turns.',
    )
    .option('--brands <n>', 'brands of the week', wholeNumber(1), 200)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .action(run);
}

async function run({ brands, rounds: count }: Options): Promise<void> {
  const week = await prepareWeek(brands);
  const history = await prepareHistory(brands, HISTORY_CYCLES);
  const rounds = await measureRounds(count, () => measureRound(week, history));
  const quantities = { seconds: 'time', cpuSeconds: 'CPU' };
  demandObjectives(
    (['seconds', 'cpuSeconds'] as const).flatMap((of) => [
      {
        name: `ingest: ${quantities[of]}, times read_json to Parquet`,
        measured: ratioOf(rounds, 'ingest', 'read_json to Parquet', of),
        atMost: MOST_OF_READ_JSON,
      },
      {
        name: `ingest after history: ${quantities[of]}, times ingest to an empty lake`,
        measured: ratioOf(rounds, 'ingest after history', 'ingest', of),
        atMost: MOST_OF_EMPTY_LAKE,
      },
    ]),
  );
}

async function measureRound(week: string, history: string): Promise<Round> {
  const work = await emptyWork();
  const long = join(work, 'long');
  await cp(history, long, { recursive: true });
  const ingestInto = (lake: string) =>
    measureProgram(work, 'jobs/cli.ts', ['ingest', '--from', week, '--lake', lake]);
  const convert = 'test/tools/bench/ingest/convert.program.ts';
  return {
    'read_json to Parquet': await measureProgram(work, convert, [runsOf(week), work]),
    ingest: await ingestInto(join(work, 'empty')),
    'ingest after history': await ingestInto(long),
  };
}
