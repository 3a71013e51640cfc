import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { writeFiles } from './files.ts';
import { isDiskError } from '../whole-folder.ts';

export interface DemoOptions {
  /** The folder to write to; made when missing, refused when it already contains a drop. */
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
}

export type DropFormat = 'ndjson' | 'ndjson.gz' | 'parquet';

export interface DemoEffects {
  /** Called once, with the number of files to come. */
  onStart?(files: number): void;
  /** Called after each file. */
  onFile?(): void;
}

export interface DropFile {
  file: string;
  records: number;
  bytes: number;
}

/**
 * Writes a synthetic drop (docs/ingest.md): the same bytes for the same options, whatever the number of threads.
 * Nothing appears under its name before all of it is written.
 * @returns the files, in the order of their making.
 * @throws Failure when the folder already contains a drop, or cannot be written.
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
      await rm(unfinished, { recursive: true, force: true });
      if (made !== undefined) await rmdir(folder).catch(() => undefined); // unless others use it by now
      throw error;
    }
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw new Failure(`${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

async function refuseFormerDrop(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR')
      throw new Failure(`${folder} cannot be written: a file is in its way; choose another folder`, {
        cause: error,
      });
    throw error;
  });
  const former = names.find((name) => DROP_FILE.test(name));
  if (former !== undefined)
    throw new Failure(`${folder} already contains a drop (${former}); choose another folder`);
}

const DROP_FILE = /^(workspaces|brands|competitors|prompts|events|runs.*)\.(ndjson|ndjson\.gz|parquet)$/;
