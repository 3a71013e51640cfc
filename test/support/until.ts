import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when a condition is true, checked every `everyMs`; the test's timeout is the limit. */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 2): Promise<void> {
  while (!(await isSo())) await sleep(everyMs);
}
