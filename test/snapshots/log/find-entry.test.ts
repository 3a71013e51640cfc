import { array, assert, asyncProperty, nat, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeEntry } from '../../../snapshots/log/entries.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { findEntry } from '../../../snapshots/log/find-entry.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { entryOf, makePlace } from './histories.ts';

describe('an entry of the log', () => {
  test('is found even if it was appended long after newer ones', async () => {
    // The number of weeks of each of three workspaces in the log after each append: some fall behind and catch up.
    const growth = array(tuple(nat(90), nat(3), nat(90)), { minLength: 1, maxLength: 4 });
    await assert(
      asyncProperty(growth, async (steps) => {
        const { store, appending } = await makePlace();
        const weeks = [0, 0, 0];
        for (const step of steps) {
          for (const [workspace, more] of step.entries()) weeks[workspace]! += more;
          await appendToLog(appending(weeks));
        }
        const size = (await readCheckpoint(store))?.size ?? 0;
        for (const [workspace, count] of weeks.entries()) {
          for (const week of new Set(
            [1, count >> 1, count].filter((number) => number > 0 && number <= count),
          )) {
            const entry = entryOf(workspace, week);
            expect((await findEntry(store, { size }, entry))!.bytes).toEqual(encodeEntry(entry));
          }
          expect(await findEntry(store, { size }, entryOf(workspace, count + 1))).toBeNull();
          expect(await findEntry(store, { size }, entryOf(workspace, 1, 'another'))).toBeNull();
        }
      }),
      { numRuns: 20 },
    );
  });

  test('is found, or found missing, with few reads of a long log', async () => {
    const { store, appending } = await makePlace();
    for (const weeks of [1000, 2000, 3000]) await appendToLog(appending([weeks, weeks]));
    let reads = 0;
    const counting = { ...store, get: async (key: string) => ((reads += 1), await store.get(key)) };
    const checkpoint = (await readCheckpoint(store))!;
    const { size } = checkpoint;
    for (const [week, isThere] of [
      [7, true],
      [1500, true],
      [2999, true],
      [3001, false],
    ] as const) {
      reads = 0;
      expect((await findEntry(counting, { size }, entryOf(1, week))) !== null).toBe(isThere);
      expect(reads).toBeLessThan(15);
    }
    expect(await proveSnapshot(store, checkpoint, entryOf(0, 1234))).toContain('index 2466\n');
  });
});
