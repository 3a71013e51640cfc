import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import { execute, openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection, Parameters } from '../duckdb.ts';
import { literal } from '../literals.ts';
import { sqlNextTo } from '../relations.ts';
import type { DemoEffects, DemoOptions, DropFile, DropFormat } from './demo.ts';

/** What the files are made from, each `FILE.sql` here, in the order in which they build on each other. */
const steps = [
  ['table demo_options', 'options'],
  ['table demo_industry', 'lists/industries'],
  ['table demo_question', 'lists/questions'],
  ['table demo_site', 'lists/sites'],
  ['table demo_workspace', 'tracked/workspaces'],
  ['table demo_brand', 'tracked/brands'],
  ['table demo_rival', 'tracked/rivals'],
  ['table demo_prompt', 'tracked/prompts'],
  ['view demo_schedule', 'answers/schedule'],
  ['table demo_visibility', 'answers/visibility'],
  ['table demo_name', 'answers/names'],
  ['table demo_cite', 'answers/cites'],
  ['table demo_weight', 'answers/weights'],
] as const;

const tracking = ['workspaces', 'brands', 'competitors', 'prompts', 'events'] as const;

/**
 * Runs made in one statement. Their lists are put together in memory, about 7 KB a run: a week of 400,000 at once
 * made the process grow to 2.1 GB, in slices to 1.5 GB, which no longer grows with the week.
 */
const SLICE = 50_000;

/** Writes the files of a drop into a folder, and nothing else that stays there. */
export async function writeFiles(
  folder: string,
  options: DemoOptions,
  effects: DemoEffects,
): Promise<DropFile[]> {
  const scratch = join(folder, 'scratch');
  const { threads } = options;
  const database = await openDatabase({
    scratch,
    ...(threads === undefined ? {} : { threads }),
  });
  try {
    const connection = await database.connect();
    await execute(connection, await sqlNextTo(import.meta, 'macros'));
    for (const [relation, file] of steps) {
      await createAs(connection, relation, file, parametersOf(options));
    }
    return await copyAll(connection, folder, options, effects);
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

function parametersOf(options: DemoOptions): Parameters {
  const { seed, workspaces, brands, prompts, cycles } = options;
  return { seed, workspaces, brands, prompts, cycles, asOf: formatInstantExactly(options.asOf) };
}

async function createAs(connection: Connection, relation: string, file: string, parameters: Parameters) {
  await execute(
    connection,
    `create or replace ${relation} as ${await sqlNextTo(import.meta, file)}`,
    parameters,
  );
}

async function copyAll(
  connection: Connection,
  folder: string,
  options: DemoOptions,
  effects: DemoEffects,
): Promise<DropFile[]> {
  const weeks = await rowsOf<{ week: number; date: string }>(
    connection,
    await sqlNextTo(import.meta, 'answers/weeks'),
  );
  const files: DropFile[] = [];
  const copy = async (name: string, query: string) => {
    const file = `${name}.${options.format}`;
    const path = join(folder, file);
    const [copied] = await rowsOf<{ Count: bigint }>(
      connection,
      `copy (${query}) to ${literal(path)} (${copyOptions[options.format]})`,
    );
    files.push({ file, records: Number(copied!.Count), bytes: (await stat(path)).size });
    effects.onFile?.();
  };
  effects.onStart?.(tracking.length + weeks.length);
  for (const name of tracking) await copy(name, await sqlNextTo(import.meta, `drop/${name}`));
  for (const { week, date } of weeks) {
    await fillRuns(connection, week, options);
    await copy(`runs-${date}`, 'from demo_run');
  }
  return files;
}

async function fillRuns(connection: Connection, week: number, { brands, prompts }: DemoOptions) {
  const step = Math.max(1, Math.floor(SLICE / (prompts * ENGINES)));
  await createAs(connection, 'table demo_run', 'drop/runs', { week, from: 0, until: step });
  const insert = `insert into demo_run by name ${await sqlNextTo(import.meta, 'drop/runs')}`;
  for (let from = step; from < brands; from += step) {
    await execute(connection, insert, { week, from, until: from + step });
  }
}

const ENGINES = engineSlugs.length;

const copyOptions: Record<DropFormat, string> = {
  ndjson: 'format json',
  'ndjson.gz': 'format json, compression gzip',
  parquet: 'format parquet, compression zstd',
};
