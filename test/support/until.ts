import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once something is so; the test's own limit ends what never is. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(2);
}
