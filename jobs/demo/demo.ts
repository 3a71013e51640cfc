import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { execute, openDatabase, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { copyRows, sqlNextTo } from '../relations.ts';
import { makeWholeFolder } from '../whole-folder.ts';

export interface DemoOptions {
  /** The folder to write; refused unless it is missing or empty. */
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
  threads?: number;
}

export interface DropFile {
  file: string;
  records: number;
  bytes: number;
}

const scripts = ['macros', 'lists', 'tracked', 'answers', 'drop'];
export const trackingFiles = ['workspaces', 'brands', 'competitors', 'prompts', 'events'];

/**
 * Writes a synthetic drop (docs/ingest.md): the same bytes for the same options, whatever the number of threads.
 * The folder appears whole, or not at all.
 * @param onFile called after each file.
 * @returns the files, in the order of their making.
 * @throws Failure when the folder is not empty, or cannot be written.
 */
export async function makeDemo(
  options: DemoOptions,
  onFile: () => void = () => undefined,
): Promise<DropFile[]> {
  const { result } = await makeWholeFolder({
    to: options.to,
    purpose: 'demo',
    work: async (folder) => await writeFiles(folder, options, onFile),
    judge: async (_unfinished, [present]) => {
      throw new Failure(
        `${resolve(options.to)} is not empty (it contains ${present}); choose another folder`,
      );
    },
  });
  return result;
}

async function writeFiles(folder: string, options: DemoOptions, onFile: () => void): Promise<DropFile[]> {
  const { threads, seed, workspaces, brands, prompts, cycles } = options;
  const asOf = formatInstantExactly(options.asOf);
  const scratch = join(folder, 'scratch');
  const files: DropFile[] = [];
  using database = await openDatabase({ scratch, threads });
  const connection = await database.connect();
  for (const script of scripts) {
    const sql = await sqlNextTo(import.meta, script);
    await execute(connection, sql, { seed, workspaces, brands, prompts, cycles, asOf });
  }
  const copy = async (name: string, table: string) => {
    const file = `${name}.ndjson`;
    const path = join(folder, file);
    const records = await copyRows(connection, `from ${table}`, path, 'format json');
    files.push({ file, records, bytes: (await stat(path)).size });
    onFile();
  };
  for (const name of trackingFiles) await copy(name, name);
  const weeks = "select week, strftime(monday, '%Y-%m-%d') as date from demo_week order by week";
  for (const { week, date } of await rowsOf<{ week: number; date: string }>(connection, weeks)) {
    await fillRuns(connection, week, options);
    await copy(`runs-${date}`, 'demo_run');
  }
  await rm(scratch, { recursive: true, force: true });
  return files;
}

/**
 * Runs made in one statement. Their lists are put together in memory, about 7 KB a run: a week of 400,000 at once
 * made the process grow to 2.1 GB, in slices to 1.5 GB, which no longer grows with the week.
 */
const SLICE = 50_000;

async function fillRuns(connection: Connection, week: number, { brands, prompts }: DemoOptions) {
  const step = Math.max(1, Math.floor(SLICE / (prompts * engineSlugs.length)));
  const runs = await sqlNextTo(import.meta, 'runs');
  for (let from = 0; from < brands; from += step) {
    const start = from === 0 ? 'create or replace table demo_run as' : 'insert into demo_run by name';
    await execute(connection, `${start} ${runs}`, { week, from, until: from + step });
  }
}
