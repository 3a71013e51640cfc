import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeScratch } from '../lib/files/scratch.ts';
import { Failure, reasonOf } from '../lib/failure.ts';

/** What to do with an existing folder of that name. */
export type Replacement = 'keep' | 'replace';

export interface WholeFolderOptions<T> {
  to: string;
  /** Small letters; part of the unfinished folder's name. */
  purpose: string;
  /** Fills the new folder. */
  work: (unfinished: string) => Promise<T>;
  /**
   * Judges an existing folder of that name that is not empty; `present` has the names in it.
   * @throws Failure if it must stay and the new one is not the same.
   */
  judge: (unfinished: string, present: readonly string[]) => Promise<Replacement>;
}

/**
 * Makes a folder under a temporary name in the same parent folder, and renames it when it is whole. After an error nothing
 * of it is left. The next call removes what a killed process left behind.
 * @returns what the work returned, and whether an existing folder has been kept.
 * @throws Failure if the folder cannot be written.
 */
export async function makeWholeFolder<T>({
  to,
  purpose,
  work,
  judge,
}: WholeFolderOptions<T>): Promise<{ result: T; isKept: boolean }> {
  const target = resolve(to);
  const parent = dirname(target);
  await using undo = new AsyncDisposableStack();
  const made = await orFailure(target, mkdir(parent, { recursive: true }));
  if (made !== undefined) undo.defer(async () => await removeEmpty(parent, dirname(made)));
  const nearby = undo.use(await orFailure(target, makeScratch(purpose, parent)));
  const unfinished = join(nearby.path, 'new');
  await mkdir(unfinished);
  const result = await work(unfinished);
  const present = await namesIn(target);
  const isThere = present.length > 0;
  const isKept = isThere && (await judge(unfinished, present)) === 'keep';
  if (!isKept) await orFailure(target, exchange(unfinished, target, join(nearby.path, 'old'), isThere));
  return { result, isKept };
}

/** The names in a folder; none if there is no folder. @throws Failure if it cannot be read, or is a file. */
export async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Failure(`${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  });
}

async function exchange(unfinished: string, target: string, old: string, isThere: boolean): Promise<void> {
  if (!isThere) return await rename(unfinished, target);
  await rename(target, old);
  try {
    await rename(unfinished, target);
  } catch (error) {
    await rename(old, target);
    throw error;
  }
}

/** Waits for a write to a folder. @throws Failure that names the folder for an error of the disk. */
export async function orFailure<T>(folder: string, attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw new Failure(`${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** True for an error of the disk: of Node it has a code, of DuckDB a prefix. */
export function isDiskError(error: unknown): boolean {
  return error instanceof Error && ('code' in error || OF_DUCKDB.test(error.message));
}

const OF_DUCKDB = /^(?:IO Error|TransactionContext Error: Failed to commit: Could not write)/;

/** Removes the empty folders from `inner` up to, but not including, `outer`. */
async function removeEmpty(inner: string, outer: string): Promise<void> {
  for (let folder = inner; folder.length > outer.length; folder = dirname(folder))
    await rmdir(folder).catch(() => undefined);
}
