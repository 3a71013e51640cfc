/** @module-tag long */
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { keysIn, readLedger } from '../../../jobs/lake/ledger.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { deliver, documentsOf, logOf, publish } from '../jobs.ts';
import { AS_OF, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import {
  deliverAll,
  id,
  keysWith,
  objectsIn,
  once,
  others,
  recipeOf,
  removed,
  runOf,
  runsOf,
  storeOf,
  traces,
  trackingOf,
} from './customers.ts';

const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
const remove = async (lake: string, { workspaceId = removed, isDryRun = false } = {}) =>
  await removeWorkspace({ lake: directoryStore(lake), workspaceId, isDryRun, threads: 1 }, { clock });

const newLake = lakeWith(deliverAll);
let given: TestLake;
beforeEach(async () => {
  given = await newLake();
});

describe('the removal of a customer', () => {
  test('rewrites exactly the objects that have rows of it, and leaves nothing of it', async () => {
    const before = await objectsIn(given.lake);
    const own = await keysWith(given.lake, traces);
    const dry = await remove(given.lake, { isDryRun: true });
    expect(dry.affected.map(({ object }) => object.key).toSorted()).toEqual(own.toSorted());
    expect(await objectsIn(given.lake)).toEqual(before);
    const buckets = [...before.keys()].filter((key) => key.startsWith('runs/'));
    expect(own.filter((key) => key.startsWith('runs/')).length).toBeLessThan(buckets.length / 2);

    const report = await remove(given.lake);
    expect(report.affected).toHaveLength(own.length);
    expect(await keysWith(given.lake, traces)).toEqual([]);
    const after = await objectsIn(given.lake);
    for (const [key, hash] of before) expect(after.get(key)).toBe(own.includes(key) ? undefined : hash);
    const rejects = [...after.keys()].filter((key) => key.startsWith('rejects/'));
    expect(rejects).toHaveLength(1);
    expect(await keysWith(given.lake, [id('b', 3)])).toContain(rejects[0]);
    expect(await remove(given.lake)).toEqual({ affected: [], leftovers: 0 });
    expect(await objectsIn(given.lake)).toEqual(after);
  });

  test('changes no document of the others, in the next week and in a rebuild of an earlier one', async () => {
    const kept = storeOf(given, 'kept');
    const store = storeOf(given, 'store');
    await publish(given.lake, store, '2026-11-09T23:00:00Z');
    const recipes = await Promise.all(others.map(async (other) => await recipeOf(store, other)));
    const own = await recipeOf(store, removed);
    await cp(given.lake, kept, { recursive: true });
    await remove(given.lake);
    for (const lake of [given.lake, kept]) {
      const week = { folder: await given.dropOf(runsOf('2026-11-16')), date: '2026-11-16' };
      await deliver(lake, week, { runsInObject: 1 });
      await publish(lake, `${lake}-next`, AS_OF);
    }
    for (const other of others)
      expect(await documentsOf(`${given.lake}-next`, other)).toEqual(
        await documentsOf(`${kept}-next`, other),
      );
    const lake = directoryStore(given.lake);
    for (const { recipe, expected } of recipes) {
      const again = directoryStore(storeOf(given, `again-${recipe.workspaceId}`));
      expect(await recompute({ lake, store: again, threads: 1 }, recipe)).toEqual(expected);
    }
    const again = recompute({ lake, store: directoryStore(storeOf(given, 'own')) }, own.recipe);
    await expect(again).rejects.toThrow(`workspace ${removed} was removed from the lake`);
  });

  test('of one after the other leaves the rest as it was, also what was published in between', async () => {
    const store = storeOf(given, 'store');
    await remove(given.lake);
    await publish(given.lake, store, AS_OF);
    const [second, third] = await Promise.all(
      others.slice(0, 2).map(async (other) => await recipeOf(store, other)),
    );
    await remove(given.lake, { workspaceId: others[0]! });
    expect(await keysWith(given.lake, [...traces, id('a', 2), id('b', 2)])).toEqual([]);
    const lake = directoryStore(given.lake);
    const again = directoryStore(storeOf(given, 'again'));
    expect(await recompute({ lake, store: again, threads: 1 }, third!.recipe)).toEqual(third!.expected);
    await expect(recompute({ lake, store: again }, second!.recipe)).rejects.toThrow(
      'was removed from the lake',
    );
  });

  test('keeps a brand that another workspace ever had, with its runs and refused lines', async () => {
    const refused = runOf('2026-11-09', 2, { engine: 'altavista' });
    const earlier = { ...trackingOf(true), 'runs.ndjson': [refused] };
    await deliver(given.lake, { folder: await given.dropOf(earlier), date: '2026-10-01' });
    const kept = storeOf(given, 'kept');
    await cp(given.lake, kept, { recursive: true });
    await remove(given.lake);
    expect(await keysWith(given.lake, traces)).toEqual([]);
    expect(
      (await keysWith(given.lake, [id('b', 2)])).filter((key) => key.startsWith('rejects/')),
    ).toHaveLength(1);
    for (const lake of [given.lake, kept]) await publish(lake, `${lake}-next`, AS_OF);
    expect(await documentsOf(`${given.lake}-next`, id('a', 2))).toEqual(
      await documentsOf(`${kept}-next`, id('a', 2)),
    );
  });

  test('is not undone by the same drops; a workspace that never was there is refused', async () => {
    const drop = {
      folder: await given.dropOf({ ...trackingOf(), ...runsOf('2026-11-09') }),
      date: '2026-11-09',
    };
    await remove(given.lake);
    expect((await deliver(given.lake, drop)).delivery).toBeNull();
    expect(await keysWith(given.lake, traces)).toEqual([]);
    await expect(remove(given.lake, { workspaceId: id('a', 7) })).rejects.toThrow(
      /has no workspace aaaaaaaa/,
    );
  });
});

describe('during the removal of a customer', () => {
  test.each(['createFromFile tracking/', 'create deliveries/', 'delete tracking/'])(
    'an ingest after %s is taken whole, and nothing of the customer is left',
    async (when) => {
      const folder = await given.dropOf({ 'runs.ndjson': [runOf('2026-11-16', 2)] });
      const deliverOnce = once(when, async () => {
        await deliver(given.lake, { folder, date: '2026-11-16' });
      });
      const lake = interposedStore(directoryStore(given.lake), { after: deliverOnce });
      await removeWorkspace({ lake, workspaceId: removed, isDryRun: false, threads: 1 }, { clock });
      expect(await keysWith(given.lake, traces)).toEqual([]);
      const ledger = await readLedger(lake);
      expect(ledger.map(({ removal }) => removal !== undefined)).toEqual(
        when.startsWith('createFromFile')
          ? [false, false, false, false, true]
          : [false, false, false, true, false],
      );
      const rows = ledger.flatMap(({ runs }) => runs).reduce((sum, each) => sum + each.rows, 0);
      expect(rows).toBe(7);
    },
  );

  test('a weekly run that has not read its inputs yet ends with a clear error', async () => {
    const removeOnce = once('list deliveries/', async () => {
      await remove(given.lake);
    });
    const lake = interposedStore(directoryStore(given.lake), { after: removeOnce });
    const week = weekly({
      lake,
      ...logOf(storeOf(given, 'store')),
      asOf: parseInstant(AS_OF)!,
      threads: 1,
    });
    await expect(week).rejects.toThrow(/ is missing: the ledger names it/);
    expect((await readLedger(lake)).at(-1)!.removal).toBeDefined();
    expect(await keysWith(given.lake, traces)).toEqual([]);
  });

  test('an ingest that was killed and is repeated loses none of its objects', async () => {
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
    await ingest({ ...drop, lake: interposedStore(store, { before: removeOnce }) }, due);
    const named = keysIn(await readLedger(store));
    expect([...named].filter((key) => !existsSync(join(given.lake, key)))).toEqual([]);
  });

  test('objects that a killed ingest left are deleted after a day', async () => {
    const left = 'runs/cycle=2026-11-09/0123456789abcdef.parquet';
    await directoryStore(given.lake).create(left, Buffer.from('x'));
    await remove(given.lake);
    expect((await objectsIn(given.lake)).has(left)).toBe(true);
    const later = { now: () => Date.now() + 2 * 86_400_000 };
    const lake = directoryStore(given.lake);
    await removeWorkspace({ lake, workspaceId: removed, isDryRun: false }, { clock: later });
    expect((await objectsIn(given.lake)).has(left)).toBe(false);
  });
});
