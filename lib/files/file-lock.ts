import { DatabaseSync } from 'node:sqlite';
import pRetry from 'p-retry';
import { Failure, reasonOf } from '../failure.ts';

/** A lock that is ours until it is released, or this process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock that a file stands for, an empty SQLite database that is made where it is missing and stays. The
 * kernel releases it with the process, however that ends, on this machine or in another container.
 * @returns null where it is taken.
 * @throws Failure where the file cannot be made or opened.
 */
export function tryLock(file: string): FileLock | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('pragma journal_mode = memory; begin immediate');
    return { release: database.close.bind(database) };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw new Failure(`${file} cannot be locked: ${reasonOf(error)}`, { cause: error });
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}

const MAX_WAIT_MS = 10_000;

/**
 * Runs `work` while holding the lock of {@link tryLock}, waiting for it where it is taken.
 * @throws Failure when that takes ten seconds: locked work takes milliseconds, so an operator should look.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> {
  const lock = await waitForLock(file, maxWaitMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

class Taken extends Failure {}

async function waitForLock(file: string, maxWaitMs: number): Promise<FileLock> {
  const take = () => {
    const lock = tryLock(file);
    if (lock === null) throw new Taken(`${file} is locked by another process`);
    return lock;
  };
  return await pRetry(take, {
    retries: Number.POSITIVE_INFINITY,
    maxRetryTime: maxWaitMs,
    shouldRetry: ({ error }) => error instanceof Taken,
    minTimeout: 5,
    maxTimeout: 20,
    randomize: true,
  });
}
