import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { execute, literal, openDatabase, readSql, rowsOf } from '../duckdb.ts';
import type { Connection, Parameters } from '../duckdb.ts';

export interface DemoOptions {
  /** The folder to write to; made when missing, refused when it already holds a drop. */
  to: string;
  seed: number;
  workspaces: number;
  /** In the whole drop, dealt out evenly to the workspaces. */
  brands: number;
  /** Of each brand. */
  prompts: number;
  /** Weekly cycles, the last of them on the Monday on or before `asOf`. */
  cycles: number;
  asOf: Micros;
  format: DropFormat;
  threads?: number;
  memoryLimit?: string;
}

export const dropFormats = ['ndjson', 'ndjson.gz', 'parquet'] as const;
export type DropFormat = (typeof dropFormats)[number];

export interface DemoEffects {
  /** Called after every file with the number of files written so far, and in all. */
  progress?(written: number, files: number): void;
}

export interface DropFile {
  file: string;
  records: number;
  bytes: number;
}

/**
 * Writes a synthetic drop (inputs.md 1): the same bytes for the same options, whatever the number of threads.
 * Nothing appears under its name before all of it is written.
 * @returns the files, in the order of their making.
 * @throws Failure when the folder already holds a drop, or cannot be written.
 */
export async function makeDemo(options: DemoOptions, effects: DemoEffects = {}): Promise<DropFile[]> {
  const folder = resolve(options.to);
  try {
    await refuseFormerDrop(folder);
    const unfinished = join(folder, `.unfinished-${randomUUID()}`);
    const made = await mkdir(unfinished, { recursive: true });
    try {
      const files = await writeFiles(unfinished, options, effects);
      await refuseFormerDrop(folder);
      for (const { file } of files) await rename(join(unfinished, file), join(folder, file));
      await rm(unfinished, { recursive: true });
      return files;
    } catch (error) {
      await rm(made ?? unfinished, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

async function refuseFormerDrop(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const former = names.find((name) => DROP_FILE.test(name));
  if (former !== undefined)
    throw new Failure(`${folder} already holds a drop (${former}); choose another folder`);
}

const DROP_FILE = /^(workspaces|brands|competitors|prompts|runs.*)\.(ndjson|ndjson\.gz|parquet)$/;

/** What the files are made from, each `jobs/sql/demo-FILE.sql`, in the order in which they build on each other. */
const steps = [
  ['table demo_options', 'options'],
  ['table demo_industry', 'industries'],
  ['table demo_question', 'questions'],
  ['table demo_site', 'sites'],
  ['table demo_workspace', 'workspaces'],
  ['table demo_brand', 'brands'],
  ['table demo_rival', 'rivals'],
  ['table demo_prompt', 'prompts'],
  ['view demo_schedule', 'schedule'],
  ['table demo_visibility', 'visibility'],
  ['table demo_panel', 'panels'],
  ['table demo_weight', 'weights'],
] as const;

async function writeFiles(folder: string, options: DemoOptions, effects: DemoEffects): Promise<DropFile[]> {
  const scratch = join(folder, 'scratch');
  const { threads, memoryLimit } = options;
  const database = await openDatabase({
    scratch,
    ...(threads === undefined ? {} : { threads }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  });
  try {
    const connection = await database.connect();
    const parameters = parametersOf(options);
    await execute(connection, await readSql('demo-macros'));
    for (const [relation, file] of steps) {
      await execute(connection, `create ${relation} as ${await readSql(`demo-${file}`)}`, parameters);
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

async function copyAll(
  connection: Connection,
  folder: string,
  options: DemoOptions,
  effects: DemoEffects,
): Promise<DropFile[]> {
  const weeks = await rowsOf<{ week: number; date: string }>(connection, await readSql('demo-weeks'));
  const copies = [
    ...(['workspaces', 'brands', 'competitors', 'prompts'] as const).map((name) => ({
      name,
      query: name,
      week: 0,
    })),
    ...weeks.map(({ week, date }) => ({ name: `runs-${date}`, query: 'runs', week })),
  ];
  const files: DropFile[] = [];
  for (const { name, query, week } of copies) {
    const file = `${name}.${options.format}`;
    const sql = await readSql(`demo-drop-${query}`);
    const target = `${literal(join(folder, file))} (${copyOptions[options.format]})`;
    const [copied] = await rowsOf<{ Count: bigint }>(connection, `copy (${sql}) to ${target}`, { week });
    files.push({ file, records: Number(copied!.Count), bytes: (await stat(join(folder, file))).size });
    effects.progress?.(files.length, copies.length);
  }
  return files;
}

const copyOptions: Record<DropFormat, string> = {
  ndjson: 'format json',
  'ndjson.gz': 'format json, compression gzip',
  parquet: 'format parquet, compression zstd',
};
