/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { keysIn, readLedger } from '../../../jobs/lake/ledger.ts';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { deliverAll, once, removed, runsOf } from './customers.ts';

const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
const remove = async (lake: string, workspaceId = removed) =>
  await removeWorkspace({ lake: directoryStore(lake), workspaceId, isDryRun: false, threads: 1 }, { clock });

const newLake = lakeWith(deliverAll);
let given: TestLake;
beforeEach(async () => {
  given = await newLake();
});

test('a removal that is run again while a killed ingest is repeated takes none of its objects', async () => {
  await remove(given.lake);
  const from = await given.dropOf(runsOf('2026-11-23'));
  const store = directoryStore(given.lake);
  const drop = { from, date: '2026-11-23', threads: 1 };
  const killed = interposedStore(store, {
    before: async ({ method, key }) => {
      if (method === 'create' && key.startsWith('deliveries/')) throw new Error('killed');
    },
  });
  const due = { clock: { now: () => Date.parse('2026-11-23T06:00:00Z') } };
  await expect(ingest({ ...drop, lake: killed }, due)).rejects.toThrow('killed');
  // Two days later nothing names what it wrote.
  const later = { now: () => Date.now() + 2 * 86_400_000 };
  const removeOnce = once('create deliveries/', async () => {
    await removeWorkspace(
      { lake: store, workspaceId: removed, isDryRun: false, threads: 1 },
      { clock: later },
    );
  });
  const lake = interposedStore(store, { before: removeOnce });
  await ingest({ ...drop, lake }, due);
  const named = keysIn(await readLedger(store));
  expect([...named].filter((key) => !existsSync(join(given.lake, key)))).toEqual([]);
});
