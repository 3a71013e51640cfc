/** @module-tag long */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { runHere } from '../../support/command-line.ts';
import { logOf, settingsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { twoWorkspaces } from './two-workspaces.ts';

const DAY = 86_400_000;

describe('a weekly run whose clock is not that of the store', () => {
  test.each([
    [62_000, /61 s behind|62 s behind/],
    [-62_000, /61 s ahead|62 s ahead|63 s ahead/],
  ])('is refused at %i ms, and publishes nothing', async (shift, complaint) => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const log = logOf(join(folder, 'store'));
    const store = { ...log.store, time: async () => Date.now() + shift };
    const run = weekly({ lake: directoryStore(lake), ...log, store, asOf: parseInstant(AS_OF)!, threads: 1 });
    await expect(run).rejects.toThrow(complaint);
    expect(await store.folders('')).toEqual([]);
  });

  test('does its work within a minute, or if the store has no clock', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    for (const time of [async () => Date.now() + 50_000, async () => null]) {
      const log = logOf(join(folder, 'store'));
      const store = { ...log.store, time };
      const run = await weekly({
        lake: directoryStore(lake),
        ...log,
        store,
        asOf: parseInstant(AS_OF)!,
        threads: 1,
      });
      expect(run).toMatchObject({ workspaces: 2, unpublished: [] });
    }
  });
});

test('a snapshot from the future fails the due week until a run as of now replaces it; a later one that has come does not', async () => {
  const { folder, lake, ingested } = await testLake();
  await ingested(twoWorkspaces);
  const store = join(folder, 'store');
  const job = async (...args: string[]) =>
    await runHere('job', ['weekly', '--lake', lake, '--store', store, ...args], {
      settings: settingsOf(store),
    });
  const due = async () => await job('--due', '0 6 * * 1');
  expect(await job()).toMatchObject({ status: 0 });
  expect(await due()).toMatchObject({ status: 0 });
  const future = new Date(Date.now() + 8 * DAY).toISOString();
  expect(await job('--as-of', future)).toMatchObject({ status: 0 });
  const refused = await due();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(
    `its snapshot is as of ${future}, which is in the future: it was published by a clock that was ahead; set the clock, then "weekly" without --due replaces it`,
  );
  expect(await job()).toMatchObject({ status: 0 });
  expect(await due()).toMatchObject({ status: 0 });
});
