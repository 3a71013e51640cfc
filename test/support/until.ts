import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once something is so, asked every `everyMs`; the test's own limit ends what never is. */
export async function until(isSo: () => boolean | Promise<boolean>, everyMs = 2): Promise<void> {
  while (!(await isSo())) await sleep(everyMs);
}
