/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { contentOf } from '../content.ts';
import { publishSnapshot, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';
import { wholeHistory, wholeSnapshot } from './whole.ts';

const program = fileURLToPath(new URL('./publish.program.ts', import.meta.url));

function publishing({ store, lake, keys }: TestLog, week: number, brands: number, ...dying: string[]) {
  const args = [program, store.url, lake.url, keys.privateKey, String(week), String(brands), ...dying];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** True if it was killed by SIGKILL, false if it completed. */
async function diesAt(log: TestLog, week: number, when: string, n: number): Promise<boolean> {
  const [status, signal] = (await once(publishing(log, week, 1, when, String(n)), 'exit')) as unknown[];
  expect([0, 'SIGKILL']).toContain(signal ?? status);
  return signal === 'SIGKILL';
}

const asOf = (week: number) => contentOf(week).asOf;
const [old, next] = [contentOf(1), contentOf(2)];

/**
 * Kills the publication of week 2 after every `each`-th step, each time on a new store in which week 1 is current. That it
 * may be killed at any step, the tests of the log show in memory (log/killed.test.ts).
 */
async function killOften(each: number, open: (name: string) => Promise<TestLog>): Promise<number> {
  let steps = 0;
  for (let n = 1, died = true; died; n += each) {
    const log = await open(String(n));
    await publishSnapshot(log, old);
    died = await diesAt(log, 2, 'after', n);
    expect([old.asOf, next.asOf]).toContain(await wholeSnapshot(log));
    await publishSnapshot(log, next);
    expect(await wholeHistory(log)).toEqual([old.asOf, next.asOf]);
    log.store.close();
    log.lake.close();
    if (died) steps += 1;
  }
  return steps;
}

describe('a publication to a folder', () => {
  test('that is killed leaves the old snapshot or the new one, and a re-run completes', async () => {
    expect(await killOften(12, async () => await testLog(await temporaryFolder()))).toBeGreaterThan(2);
  });

  test('of which several processes run at once publishes each week once', async () => {
    const log = await testLog(await temporaryFolder());
    const weeks = [0, 0, 1, 2];
    const children = weeks.map((week) => publishing(log, week, 5));
    const exits = await Promise.all(children.map(async (child) => (await once(child, 'exit')) as unknown[]));
    expect(exits.map(([status]) => status)).toEqual([0, 0, 0, 0]);
    expect((await wholeHistory(log)).toSorted()).toEqual(weeks.slice(1).map(asOf));
  });
});
