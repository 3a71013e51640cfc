import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { until } from '../../support/until.ts';
import { keysOf } from '../history.ts';
import { publicationOf } from '../publication.ts';
import { expectExplained, wholeChain, wholeSnapshot } from './whole.ts';

const program = fileURLToPath(new URL('./publish.program.ts', import.meta.url));

function publishing(location: string, week: number, brands: number, ...dying: string[]) {
  const args = [program, location, String(week), String(brands), ...dying];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** True if it was killed by SIGKILL, false if it completed. */
async function diesAt(location: string, week: number, when: string, n: number): Promise<boolean> {
  const [status, signal] = (await once(publishing(location, week, 1, when, String(n)), 'exit')) as unknown[];
  expect([0, 'SIGKILL']).toContain(signal ?? status);
  return signal === 'SIGKILL';
}

const asOf = (week: number) => publicationOf(week).asOf;
const [old, next] = [publicationOf(1), publicationOf(2)];

type Moment = 'before' | 'after';

/** Kills a publication of week 2 at every step, each time on a new store in which week 1 is current. */
async function killEverywhere(
  moments: readonly Moment[],
  open: (name: string) => { location: string; store: ObjectStore },
): Promise<number> {
  let steps = 0;
  for (const when of moments) {
    for (let n = 1, died = true; died; n += 1) {
      const { location, store } = open(`${when}-${n}`);
      await publishSnapshot(store, old);
      died = await diesAt(location, 2, when, n);
      expect([old.asOf, next.asOf]).toContain(await wholeSnapshot(store));
      await expectExplained(store);
      await publishSnapshot(store, next);
      expect(await wholeChain(store)).toEqual([next.asOf, old.asOf]);
      await expectExplained(store);
      store.close();
      if (died) steps += 1;
    }
  }
  return steps;
}

describe('a publication to a folder', () => {
  test('that is killed at any step leaves the old snapshot or the new one, and a re-run completes', async () => {
    const folder = await temporaryFolder();
    const open = (name: string) => {
      const location = join(folder, name);
      return { location, store: directoryStore(location) };
    };
    expect(await killEverywhere(['before', 'after'], open)).toBeGreaterThan(20);
  });

  test('that is killed at any step leaves a state from which a later week can continue', async () => {
    const folder = await temporaryFolder();
    for (let n = 1; ; n += 1) {
      const location = join(folder, String(n));
      const store = directoryStore(location);
      await publishSnapshot(store, old);
      const died = await diesAt(location, 2, 'after', n);
      await publishSnapshot(store, publicationOf(3));
      await publishSnapshot(store, next);
      const third = publicationOf(3).asOf;
      const chain = await wholeChain(store);
      const wasPublished = chain[0] === third;
      expect(chain).toEqual(wasPublished ? [third, next.asOf, old.asOf] : [next.asOf, third, old.asOf]);
      await expectExplained(store);
      if (!died) break;
    }
  });

  test('that is killed at a random time is never seen partially by concurrent readers', async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder);
    await publishSnapshot(store, publicationOf(0, { brands: 40 }));
    let current = 0;
    let killed = 0;
    for (let week = 1; week <= 8; week += 1) {
      const before = (await keysOf(store)).length;
      const child = publishing(folder, week, 40);
      const seen = new Set<string | null>();
      // Killed after 1 to 176 of its objects, of which there are more than 241.
      await until(async () => {
        seen.add(await wholeSnapshot(store));
        if ((await keysOf(store)).length - before > 25 * (week - 1)) child.kill('SIGKILL');
        return child.exitCode !== null || child.signalCode !== null;
      });
      seen.add(await wholeSnapshot(store));
      if (child.signalCode === 'SIGKILL') killed += 1;
      for (const time of seen) expect([asOf(current), asOf(week)]).toContain(time);
      await expectExplained(store);
      await publishSnapshot(store, publicationOf(week, { brands: 40 }));
      expect(await wholeSnapshot(store)).toBe(asOf(week));
      current = week;
    }
    expect(await wholeChain(store)).toHaveLength(9);
    expect(killed).toBeGreaterThan(0);
  });
});

describeS3('a publication to S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  // The state before a step is the state after the previous one; only in a folder both are killed.
  test('that is killed at any step leaves the old snapshot or the new one, and a re-run completes', async () => {
    expect(await killEverywhere(['after'], inBucket)).toBeGreaterThan(10);
  });

  function inBucket(name: string) {
    return { location: bucket.location(name).url, store: bucket.store(name) };
  }
});
