/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { runHere } from '../../support/command-line.ts';
import { logOf, settingsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { twoWorkspaces } from './two-workspaces.ts';

const DAY = 86_400_000;

/** What a weekly run ends with if the clock of its store differs by so much (null: it has none), and what is in the store then. */
async function run(shiftMs: number | null) {
  const { folder, lake, ingested } = await testLake();
  await ingested(twoWorkspaces);
  const log = logOf(join(folder, 'store'));
  const store = { ...log.store, time: async () => (shiftMs === null ? null : Date.now() + shiftMs) };
  const asOf = parseInstant(AS_OF)!;
  const ended = await weekly({ lake: directoryStore(lake), ...log, store, asOf, threads: 1 }).then(
    (report) => `${report.new} new`,
    (error: unknown) => (error as Error).message,
  );
  return { ended, folders: await store.folders('') };
}

test.each([
  [62_000, /61 s behind|62 s behind/],
  [-62_000, /61 s ahead|62 s ahead|63 s ahead/],
])(
  'a weekly run whose clock is %i ms from that of the store is refused, and publishes nothing',
  async (shift, complaint) => {
    const { ended, folders } = await run(shift);
    expect(ended).toMatch(complaint);
    expect(folders).toEqual([]);
  },
);

test.each([50_000, null])(
  'a weekly run whose clock is %s ms from that of the store does its work',
  async (shift) => {
    expect((await run(shift)).ended).toBe('2 new');
  },
);

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
