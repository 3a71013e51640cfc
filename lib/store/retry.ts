import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 20_000;

/**
 * Repeats work that fails for a passing reason, up to `attempts` times in all, waiting a random part of 50 ms,
 * 100 ms, 200 ms … between, so that many clients do not come back at the same instant.
 * @throws the last error.
 */
export async function persistently<T>(
  attempts: number,
  isPassing: (error: unknown) => boolean,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error;
      await sleep(Math.random() * Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS));
    }
  }
}
