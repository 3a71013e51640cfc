/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClock } from '../../../jobs/weekly/checks/clock.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { runHere } from '../../support/command-line.ts';
import { logOf, settingsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { twoWorkspaces } from './two-workspaces.ts';

const DAY = 86_400_000;

test('a weekly run whose clock is a minute from that of the store is refused, and publishes nothing', async () => {
  const { folder, lake, ingested } = await testLake();
  await ingested(twoWorkspaces);
  const log = logOf(join(folder, 'store'));
  const shifted = (ms: number | null) => {
    return { ...log.store, time: async () => (ms === null ? null : Date.now() + ms) };
  };
  const run = weekly({
    lake: directoryStore(lake),
    ...log,
    store: shifted(62_000),
    asOf: parseInstant(AS_OF)!,
    threads: 1,
  });
  await expect(run).rejects.toThrow(/6[12] s behind/);
  expect(await log.store.folders('')).toEqual([]);
  await expect(checkClock(shifted(-62_000), systemClock)).rejects.toThrow(/6[123] s ahead/);
  for (const ms of [50_000, -50_000, null]) await checkClock(shifted(ms), systemClock);
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
