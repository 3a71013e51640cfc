import { beforeEach, describe, expect, test } from 'vitest';
import { BRANDS_PATH, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import type { Objects } from '../../support/memory-store.ts';
import {
  copyOf,
  eachDocumentService,
  findIn,
  putBack,
  readsOf,
  textOf,
  withdraw,
  workspaceId,
} from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const renamed = { ...acme, name: 'Acme Corporation' };
const LATER = '2026-11-23T06:00:00.000Z';

const prompts = documentPath(acme.id, 'prompts');
const sources = documentPath(acme.id, 'sources');
const each = eachDocumentService();
const find = async (path: string, id?: string) => await findIn(each.service, path, id);
const publishLater = async () => await publishBrands(each.log, workspaceId, [renamed], LATER);

describe('a newer snapshot', () => {
  let first: string;
  let before: Objects;
  beforeEach(async () => {
    first = await publishBrands(each.log, workspaceId, [acme]);
    await find(prompts);
    before = copyOf(each);
  });

  test('goes into service with a refresh, and each of its documents is read when it is asked for', async () => {
    const second = await publishLater();
    expect((await find(prompts))!.snapshotId).toBe(first);
    const reads = await readsOf(each, async () => await each.service.refresh());
    const once = { checkpoint: 2, history: 1, manifest: 1 }; // the second one after the records
    expect(reads).toEqual({ ...once, tile: expect.any(Number) as number });
    expect(each.events.changed).toEqual([second]);
    each.reads = [];
    const found = await find(prompts);
    expect(found!.snapshotId).toBe(second);
    expect(textOf(found)).toContain('Acme Corporation');
    expect(each.reads).toEqual(['document']);
    expect(await readsOf(each, async () => await find(prompts))).toEqual({});
  });

  test('costs one read if it does not exist', async () => {
    expect(await readsOf(each, async () => await each.service.refresh())).toEqual({ checkpoint: 1 });
  });

  test('of another workspace costs nothing but the entries of the log', async () => {
    await publishBrands(each.log, '22222222-2222-4222-8222-222222222222', [acme]);
    const reads = await readsOf(each, async () => await each.service.refresh());
    expect(Object.keys(reads).toSorted()).toEqual(['checkpoint', 'tile']);
  });

  /** The key of an object that only the newer snapshot has. */
  const newKey = (part: string) =>
    [...each.objects.keys()].find((key) => key.includes(part) && !before.has(key))!;

  test.each<[string, string, ((key: string) => void) | undefined]>([
    ['the manifest is missing', '.manifest.json', undefined],
    ['the manifest was changed', '.manifest.json', (key) => each.objects.set(key, Buffer.from('{}'))],
    ['the history is missing', '/histories/', undefined],
    ['the history was changed', '/histories/', (key) => each.objects.set(key, Buffer.from('{}\n'))],
  ])('does not go into service if %s: the last good one stays, with one alarm', async (_what, part, harm) => {
    const second = await publishLater();
    const whole = copyOf(each);
    (harm ?? ((key: string) => each.objects.delete(key)))(newKey(part));
    for (let round = 0; round < 5; round++) {
      await each.service.refresh();
      each.now += 30_000;
    }
    expect(each.events.kept).toHaveLength(1);
    expect(each.events.changed).toEqual([]);
    expect((await find(prompts))!.snapshotId).toBe(first);
    expect(each.service.status().workspaces).toMatchObject([
      { workspaceId, state: 'kept', asOf: Date.parse('2026-11-16T06:00:00Z') },
    ]);
    putBack(each, whole);
    await each.service.refresh();
    expect((await find(prompts))!.snapshotId).toBe(second);
    expect(each.service.status().workspaces).toMatchObject([{ state: 'current' }]);
  });

  test('goes into service if a document of it is missing; that one is an error', async () => {
    const second = await publishLater();
    each.objects.delete(`${snapshotPrefix(workspaceId, second)}${sources}`);
    await each.service.refresh();
    expect((await find(prompts))!.snapshotId).toBe(second);
    await expect(find(sources)).rejects.toThrow(/sources\.json is missing$/);
  });

  test('is found by the request itself if documents of the old one are gone before the refresh', async () => {
    const second = await publishLater();
    for (const key of each.objects.keys())
      if (key.startsWith(snapshotPrefix(workspaceId, first))) each.objects.delete(key);
    const refreshed = each.service.refresh();
    expect((await find(sources))!.snapshotId).toBe(second);
    await refreshed;
    expect(each.events).toMatchObject({ kept: [], changed: [second] });
  });

  test('that is withdrawn as mistaken gives way to the one before it', async () => {
    const second = await publishLater();
    await each.service.refresh();
    await withdraw(each.log, workspaceId, second, 'mistaken');
    await each.service.refresh();
    expect(await find(prompts)).toMatchObject({ snapshotId: first, isFinal: false });
    expect(each.events.changed).toEqual([second, first]);
    await withdraw(each.log, workspaceId, first, 'mistaken');
    await each.service.refresh();
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    expect(each.service.status().workspaces).toMatchObject([{ state: 'none' }]);
  });
});
