import * as fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { drops } from './drops.ts';
import type { Drop } from './drops.ts';

/** A sequence of `drops` is no longer. */
const MOST_DROPS = 4;

/**
 * Checks random sequences of drops, each in an empty folder of its own. `choices` has at least one value for each drop.
 * @returns the number of sequences that were checked
 * @throws Error with the seed of the first sequence for which `check` throws
 */
export async function checkSequencesOfDrops<Choice>(
  count: number,
  choice: fc.Arbitrary<Choice>,
  check: (sequence: readonly Drop[], choices: readonly Choice[], folder: string) => Promise<void>,
): Promise<number> {
  const root = await temporaryFolder();
  const choices = fc.array(choice, { minLength: MOST_DROPS, maxLength: MOST_DROPS });
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(drops, choices, async (sequence, chosen) => {
      const folder = join(root, String(checked));
      await check(sequence, chosen, folder);
      await rm(folder, { recursive: true });
      checked++;
    }),
    // A sequence takes seconds: a failure is reported as it was found, without a search for a shorter one.
    { numRuns: count, endOnFailure: true },
  );
  return checked;
}
