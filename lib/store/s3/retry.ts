import pRetry from 'p-retry';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 20_000;

/**
 * Repeats work after transient errors, up to `attempts` times in all, with growing random waits, so that many clients
 * do not retry at the same instant.
 * @throws the last error.
 */
export async function persistently<T>(
  attempts: number,
  isPassing: (error: unknown) => boolean,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  return await pRetry(work, {
    retries: attempts - 1,
    minTimeout: FIRST_DELAY_MS,
    maxTimeout: LONGEST_DELAY_MS,
    randomize: true,
    shouldRetry: ({ error }) => isPassing(error),
  });
}
