import { DatabaseSync } from 'node:sqlite';
import pRetry from 'p-retry';
import { reasonOf, Unreachable } from '../failure.ts';

/** A lock that this process has until it calls `release` or ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of a file, an empty SQLite database that is created if missing and never removed. The kernel
 * releases the lock when the process ends, even if it is killed, and also across containers of one machine.
 * @returns null if another process has the lock.
 * @throws Failure if the file cannot be created or opened.
 */
export function tryLock(file: string): FileLock | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec('pragma journal_mode = memory; begin immediate');
    return { release: database.close.bind(database) };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw new Unreachable(`${file} cannot be locked: ${reasonOf(error)}`, { cause: error });
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return (error as { errcode: number }).errcode % 256 === SQLITE_BUSY; // NaN for an error that is not SQLite's
}

const MAX_WAIT_MS = 10_000;

/**
 * Runs `work` with the lock of {@link tryLock}, and waits for it if it is taken.
 * @throws Failure after waiting `maxWaitMs`. Work under a lock takes milliseconds, so an operator should look.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> {
  const lock = await waitForLock(file, maxWaitMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

class Taken extends Unreachable {}

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
