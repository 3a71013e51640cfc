import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { literal } from '../../../../jobs/literals.ts';
import { wholeNumber } from '../../../../jobs/options.ts';
import { sqlNextTo } from '../../../../jobs/relations.ts';
import { measureProgram } from '../weekly/measure.ts';
import { report } from '../weekly/report.ts';
import type { Objective } from '../weekly/objectives.ts';
import type { Round } from '../weekly/report.ts';

interface Options {
  answers: number;
  rounds: number;
  folder: string;
  json: boolean;
}

export function importBench(): Command {
  return new Command('import')
    .description(
      'Import of a spreadsheet with the answers’ text, compared with DuckDB’s read_csv to Parquet, in turns.',
    )
    .option('--answers <n>', 'rows of the spreadsheet', wholeNumber(1), 1_000_000)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .option('--folder <path>', 'where the spreadsheet is written, once', '.data/bench')
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const source = resolve(options.folder, `answers-${options.answers}`);
  const work = join(options.folder, 'work');
  if (!existsSync(source)) await makeSpreadsheet(source, options.answers);
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    process.stderr.write(`round ${round} of ${options.rounds} …\n`);
    rounds.push(await measureRound(source, work));
  }
  await rm(work, { recursive: true });
  report(rounds, objectives, options.json ? options : null);
}

/** 200 brands with ten names each, answers of some 800 characters. */
async function makeSpreadsheet(folder: string, answers: number): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const database = await openDatabase({ scratch: join(unfinished, 'scratch') });
  const connection = await database.connect();
  for (const name of ['answers', 'names']) {
    const select = await sqlNextTo(import.meta, name);
    const target = literal(join(unfinished, `${name}.csv`));
    await execute(
      connection,
      `copy (${select}) to ${target} (header)`,
      name === 'answers' ? { answers } : {},
    );
  }
  database.close();
  await rm(join(unfinished, 'scratch'), { recursive: true, force: true });
  await rename(unfinished, folder);
}

async function measureRound(source: string, work: string): Promise<Round> {
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const program = 'test/tools/bench/import/read.program.ts';
  const drop = join(work, 'drop');
  return {
    'read_csv to Parquet': await measureProgram(work, program, [join(source, 'answers.csv'), work]),
    import: await measureProgram(work, 'jobs/cli.ts', [
      'import',
      '--mapping',
      'spreadsheet',
      '--from',
      source,
      '--to',
      drop,
    ]),
  };
}

const objectives: readonly Objective[] = (['seconds', 'cpuSeconds'] as const).map((of) => ({
  name: 'import',
  of,
  baseline: ['read_csv to Parquet'],
  atMost: null,
}));
