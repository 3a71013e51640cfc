/** @module-tag long */
import { cp } from 'node:fs/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
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

  test('of one after the other leaves the rest as it was', async () => {
    const store = storeOf(given, 'store');
    await publish(given.lake, store, AS_OF);
    const [second, third] = await Promise.all(
      others.slice(0, 2).map(async (other) => await recipeOf(store, other)),
    );
    await remove(given.lake);
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
      expect(rows).toBe(11);
    },
  );

  test.each<[string, string, RegExp]>([
    [
      'ends with a clear error if it has not read its inputs yet',
      'list deliveries/',
      / is missing: the ledger names it/,
    ],
  ])('weekly %s', async (_, when, expected) => {
    const removeOnce = once(when, async () => {
      await remove(given.lake);
    });
    const lake = interposedStore(directoryStore(given.lake), { after: removeOnce });
    const store = storeOf(given, 'store');
    const week = weekly({ lake, ...logOf(store), asOf: parseInstant(AS_OF)!, threads: 1 });
    const outcome = await week.then(
      (report) => `${report.new} new`,
      (error: unknown) => (error as Error).message,
    );
    expect(outcome).toMatch(expected);
    expect((await readLedger(lake)).at(-1)!.removal).toBeDefined();
    expect(await keysWith(given.lake, traces)).toEqual([]);
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

async function* entriesOf(lake: ObjectStore) {
  for await (const { key } of lake.list('')) yield { key, bytes: (await lake.get(key))!.bytes };
}

describeS3('the removal of a customer from a lake in S3', () => {
  test('leaves the same objects as in a folder, and takes none away again', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const lake = bucket.store('lake');
    await lake.createMany(entriesOf(directoryStore(given.lake)));
    const removeThere = async () =>
      await removeWorkspace({ lake, workspaceId: removed, isDryRun: false, threads: 1 }, { clock });
    expect((await removeThere()).affected.length).toBeGreaterThan(10);
    await remove(given.lake);
    expect(await removeThere()).toEqual({ affected: [], leftovers: 0 });
    const left = await Array.fromAsync(entriesOf(lake));
    expect(new Map(left.map(({ key, bytes }) => [key, sha256(bytes)]))).toEqual(await objectsIn(given.lake));
  });
});
