/** @module-tag long */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { publish, settingsOf } from '../../jobs/jobs.ts';
import { AS_OF, filesBelow, testLake } from '../../jobs/lake.ts';
import { deliverAll, removed } from '../../jobs/remove/customers.ts';

test('log complete --from-store refuses a lake without what the snapshots were computed from, or lists it', async () => {
  const given = await testLake();
  await deliverAll(given);
  const store = join(given.folder, 'store');
  await publish(given.lake, store, AS_OF);
  const settings = { ...settingsOf(store), STORE_URL: store, LAKE_URL: given.lake };
  const run = async (program: 'job' | 'audit', line: string) =>
    await runHere(program, line.split(' '), { settings });
  const complete = async (options = '') => await run('audit', `log complete --from-store${options}`);
  const expectIntact = async () => expect((await run('audit', 'verify')).stdout).toContain('\nIntact.\n');

  // A removal replaced objects that the snapshots name.
  expect(await run('job', `remove --workspace ${removed} --yes`)).toMatchObject({ status: 0 });
  await rm(join(given.lake, 'log'), { recursive: true });
  const ended = await complete(' --json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ lost: { objects: [], snapshots: 0 } });

  // Objects that the ledger names are gone.
  await rm(join(given.lake, 'runs'), { recursive: true });
  expect(await complete()).toMatchObject({ status: 1 });

  // The lake is lost, with its ledger.
  await rm(given.lake, { recursive: true });
  expect(await run('job', 'ingest --new-lake')).toMatchObject({ status: 0 });
  const before = await filesBelow(given.lake);
  const { status, stdout, stderr } = await complete();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^sightline: \S+lake does not have \d+ objects that 4 snapshots were computed from: mount or restore the lake, .*add --lake-is-lost: these weeks then stay verifiable, and cannot be rebuilt\n/,
  );
  expect(await filesBelow(given.lake)).toEqual(before);

  expect((await complete(' --lake-is-lost')).stdout).toMatch(
    /^The lake does not have \d+ objects that 4 snapshots were computed from: these weeks stay verifiable and cannot be rebuilt, .*\n(?:runs|tracking)\/[^]*\nThe lake remembers the log of /,
  );
  await expectIntact();
});
