/** @module-tag long */
import { beforeEach, expect, test } from 'vitest';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { logOf, publish } from '../jobs.ts';
import { AS_OF, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { deliverAll, keysWith, once, others, recipeOf, removed, storeOf, traces } from './customers.ts';

const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
const remove = async (lake: string, workspaceId = removed) =>
  await removeWorkspace({ lake: directoryStore(lake), workspaceId, isDryRun: false, threads: 1 }, { clock });

const newLake = lakeWith(deliverAll);
let given: TestLake;
beforeEach(async () => {
  given = await newLake();
});

test('a removal after another one leaves what was published in between to be computed again', async () => {
  await remove(given.lake);
  const store = storeOf(given, 'store');
  await publish(given.lake, store, AS_OF);
  const { recipe, expected } = await recipeOf(store, others[1]!);
  await remove(given.lake, others[0]);
  const again = { lake: directoryStore(given.lake), store: directoryStore(storeOf(given, 'again')) };
  expect(await recompute({ ...again, threads: 1 }, recipe)).toEqual(expected);
});

test('a removal that is run again leaves no part of a base that a week was storing meanwhile', async () => {
  const during = once('createFromFile bases/', async () => void (await remove(given.lake)));
  const lake = interposedStore(directoryStore(given.lake), {
    after: async (operation) => {
      await during(operation);
      if (operation.method === 'createFromFile' && operation.key.includes('/spellings'))
        throw new Error('killed');
    },
  });
  const store = storeOf(given, 'store');
  await weekly({ lake, ...logOf(store), asOf: parseInstant(AS_OF)!, threads: 1 }).catch(() => undefined);
  expect(await keysWith(given.lake, traces)).not.toEqual([]);
  await remove(given.lake);
  expect(await keysWith(given.lake, traces)).toEqual([]);
});
