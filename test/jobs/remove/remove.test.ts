/** @module-tag long */
import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { keysIn, readLedger } from '../../../jobs/lake/ledger.ts';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { sha256 } from '../../../lib/hash.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { runHere } from '../../support/command-line.ts';
import { dyingAfter, interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { currentIn, deliver, documentsOf, logOf, publish } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import {
  deliverAll,
  deliverWeek,
  keysWith,
  others,
  removed,
  runOf,
  runsOf,
  traces,
  trackingOf,
} from './customers.ts';
import { idOf as id } from '../records.ts';

const NOW = Date.parse('2026-11-16T06:00:00Z');
const later = () => Date.now() + 2 * 86_400_000;

/** Removes a workspace from the lake in a folder, or from a store. */
async function remove(
  lake: string | ObjectStore,
  { workspaceId = removed, isDryRun = false, now = NOW } = {},
) {
  const store = typeof lake === 'string' ? directoryStore(lake) : lake;
  const clock = { now: () => now };
  return await removeWorkspace({ lake: store, workspaceId, isDryRun, threads: 1 }, { clock });
}

/** The SHA-256 of each object of the lake, by its key. */
async function objectsIn(lake: string): Promise<Map<string, string>> {
  const hashes = (await filesBelow(lake)).map(async (path): Promise<[string, string]> => [
    relative(lake, path),
    sha256(await readFile(path)),
  ]);
  return new Map(await Promise.all(hashes));
}

/** A hook that does the work after the first operation of which method and key begin so. */
function once(when: string, work: () => Promise<unknown>) {
  let isDone = false;
  return async ({ method, key }: Operation) => {
    if (isDone || !`${method} ${key}`.startsWith(when)) return;
    isDone = true;
    await work();
  };
}

const newLake = lakeWith(deliverAll);
/** A removal reads every object: three times as fast here. */
const newWeek = lakeWith(deliverWeek);
let given: TestLake;
beforeEach(async () => {
  given = await newWeek();
});

test('a removal rewrites exactly the objects that have rows of it, and leaves nothing of it, also when the same drops come again', async () => {
  given = await newLake();
  const folder = await given.dropOf({ ...trackingOf(), ...runsOf('2026-11-09') });
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
  expect((await deliver(given.lake, { folder, date: '2026-11-09' })).delivery).toBeNull();
  const again = await runHere('job', ['remove', '--workspace', removed, '--lake', given.lake]);
  expect(again.stdout).toBe('Nothing to remove: this workspace was removed before.\n');
  expect(await objectsIn(given.lake)).toEqual(after);
  await expect(remove(given.lake, { workspaceId: id('a', 7) })).rejects.toThrow(/has no workspace aaaaaaaa/);
});

/** What computes the current snapshot of a workspace again, and what that must give. */
const recipeOf = async (store: string, workspaceId: string) => {
  const { manifest, publication } = await currentIn(store, workspaceId);
  const inputs = await readInputs(directoryStore(store), manifest);
  const { snapshotId, manifestSha256, publishedAt } = publication;
  const expected = { snapshotId, manifestSha256, missing: [], changed: [], leftOut: [] };
  return { recipe: { ...manifest, publishedAt, inputs }, expected };
};

test('a removal changes no document of the others, in the next week and in a rebuild of earlier ones, also after another removal', async () => {
  given = await newLake();
  const place = (name: string) => join(given.folder, name);
  const [first, next, kept] = [place('first'), place('next'), place('kept')];
  const rebuild = async ({ recipe }: Awaited<ReturnType<typeof recipeOf>>, to: string) =>
    await recompute(
      { lake: directoryStore(given.lake), store: directoryStore(place(to)), threads: 1 },
      recipe,
    );
  const [second, third] = [others[0]!, others[1]!];
  await publish(given.lake, first, '2026-11-09T23:00:00Z');
  const [earlier, own] = [await recipeOf(first, third), await recipeOf(first, removed)];
  await cp(given.lake, kept, { recursive: true });
  await remove(given.lake);
  for (const lake of [given.lake, kept]) {
    const week = { folder: await given.dropOf(runsOf('2026-11-16')), date: '2026-11-16' };
    await deliver(lake, week, { runsInObject: 1 });
  }
  await publish(given.lake, next, AS_OF);
  await publish(kept, `${kept}-next`, AS_OF);
  for (const other of others)
    expect(await documentsOf(next, other)).toEqual(await documentsOf(`${kept}-next`, other));

  const [newer, gone] = [await recipeOf(next, third), await recipeOf(next, second)];
  await remove(given.lake, { workspaceId: second });
  expect(await keysWith(given.lake, [second, id('b', 2), id('d', 2)])).toEqual([]);
  for (const each of [earlier, newer]) expect(await rebuild(each, 'again')).toEqual(each.expected);
  for (const each of [own, gone])
    await expect(rebuild(each, 'gone')).rejects.toThrow(
      `workspace ${each.recipe.workspaceId} was removed from the lake`,
    );
});

test('a removal keeps a brand that another workspace ever had, with its runs and refused lines', async () => {
  const refused = runOf('2026-11-09', 2, { engine: 'altavista' });
  const earlier = { ...trackingOf(true), 'runs.ndjson': [refused] };
  await deliver(given.lake, { folder: await given.dropOf(earlier), date: '2026-10-01' });
  const kept = join(given.folder, 'kept');
  await cp(given.lake, kept, { recursive: true });
  await remove(given.lake);
  expect(await keysWith(given.lake, traces)).toEqual([]);
  expect(await keysWith(given.lake, [id('b', 2)])).toContainEqual(expect.stringMatching(/^rejects\//));
  for (const lake of [given.lake, kept]) await publish(lake, `${lake}-next`, AS_OF);
  expect(await documentsOf(`${given.lake}-next`, id('a', 2))).toEqual(
    await documentsOf(`${kept}-next`, id('a', 2)),
  );
});

test.each([
  ['before', [false, false, true, true]],
  ['after', [false, true, false, true]],
] as const)(
  'an ingest and another removal, %s a removal is recorded, are done whole, and nothing of the customers is left',
  async (hook, removals) => {
    const folder = await given.dropOf({ 'runs.ndjson': [runOf('2026-11-16', 2)] });
    const meanwhile = once('create deliveries/', async () => {
      await deliver(given.lake, { folder, date: '2026-11-16' });
      await remove(given.lake, { workspaceId: others[2]! });
    });
    const lake = interposedStore(directoryStore(given.lake), { [hook]: meanwhile });
    await remove(lake);
    expect(await keysWith(given.lake, [...traces, others[2]!, id('b', 4)])).toEqual([]);
    const ledger = await readLedger(lake);
    expect(ledger.map(({ removal }) => removal !== undefined)).toEqual(removals);
    expect(ledger.flatMap(({ runs }) => runs).reduce((sum, { rows }) => sum + rows, 0)).toBe(3);
  },
);

test('a weekly run that has not read its inputs when a removal comes ends with a clear error', async () => {
  const after = once('list deliveries/', async () => await remove(given.lake));
  const lake = interposedStore(directoryStore(given.lake), { after });
  const places = { lake, ...logOf(join(given.folder, 'store')) };
  const week = weekly({ ...places, asOf: parseInstant(AS_OF)!, threads: 1 });
  await expect(week).rejects.toThrow(/ is missing: the ledger names it/);
  expect((await readLedger(lake)).at(-1)!.removal).toBeDefined();
  expect(await keysWith(given.lake, traces)).toEqual([]);
});

/** A hook that kills an ingest before its entry. */
const dies = ({ method, key }: Operation) => {
  if (method === 'create' && key.startsWith('deliveries/')) throw new Error('killed');
};

test('an ingest that was killed and is repeated during a removal loses none of its objects; those of one that is not are deleted after a day', async () => {
  const left = 'runs/cycle=2026-11-09/0123456789abcdef.parquet';
  const store = directoryStore(given.lake);
  await store.create(left, Buffer.from('x'));
  await remove(given.lake);
  expect(existsSync(join(given.lake, left))).toBe(true);
  const drop = { from: await given.dropOf(runsOf('2026-11-23')), date: '2026-11-23', threads: 1 };
  const due = { clock: { now: () => Date.parse('2026-11-23T06:00:00Z') } };
  const killed = ingest({ ...drop, lake: interposedStore(store, { before: dies }) }, due);
  await expect(killed).rejects.toThrow('killed');
  // Two days later nothing names what it wrote.
  const before = once('create deliveries/', async () => await remove(given.lake, { now: later() }));
  await ingest({ ...drop, lake: interposedStore(store, { before }) }, due);
  const named = keysIn(await readLedger(store));
  expect([...named].filter((key) => !existsSync(join(given.lake, key)))).toEqual([]);
  expect(existsSync(join(given.lake, left))).toBe(false);
});

/** A copy of the lake. */
async function copy(name: string): Promise<string> {
  const lake = join(given.folder, 'lakes', name);
  await cp(given.lake, lake, { recursive: true });
  return lake;
}

test('a removal that is killed before, at and after its entry in the ledger, and run again, ends with the same lake', async () => {
  const undisturbed = await copy('undisturbed');
  const changes: string[] = [];
  await remove(dyingAfter(Infinity, directoryStore(undisturbed), changes));
  const expected = await objectsIn(undisturbed);
  const entry = changes.indexOf('create deliveries') + 1;
  expect(changes.length - entry).toBeGreaterThan(4);
  expect(entry).toBeGreaterThan(4);
  for (const n of [entry - 1, entry, entry + 1]) {
    const lake = await copy(String(n));
    await expect(remove(dyingAfter(n, directoryStore(lake)))).rejects.toThrow('killed');
    expect(await readLedger(directoryStore(lake))).toHaveLength(n < entry ? 1 : 2);
    await remove(lake);
    const objects = await objectsIn(lake);
    objects.delete('deliveries/00000003.json'); // the entry of the second removal, if something was left
    expect(objects).toEqual(expected);
  }
});
