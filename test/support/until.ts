import { setTimeout as sleep } from 'node:timers/promises';

// Taken before a test replaces the clock.
const now = performance.now.bind(performance);

/** Below the timeout of a test, so that a failure names the condition; vitest.config.ts sets a longer limit for machines. */
const LIMIT_SECONDS = Number(process.env['UNTIL_SECONDS'] ?? 40);

/**
 * Resolves when a condition is true, checked every `everyMs`.
 * @param what the condition in words, where its source says too little
 * @throws Error that names the condition, if it is still false after `withinSeconds`
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = String(isSo),
  { withinSeconds = LIMIT_SECONDS, everyMs = 2 } = {},
): Promise<void> {
  for (const limit = now() + withinSeconds * 1000; !(await isSo()); await sleep(everyMs)) {
    if (now() > limit) throw new Error(`not within ${withinSeconds} s: ${what}`);
  }
}
