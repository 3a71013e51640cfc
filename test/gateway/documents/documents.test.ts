import { beforeEach, describe, expect, test } from 'vitest';
import { BRANDS_PATH, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import type { Objects } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';
import {
  copyOf,
  eachDocumentService,
  findIn,
  putBack,
  readsOf,
  reopenService,
  textOf,
  withdraw,
  workspaceId,
} from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const renamed = { ...acme, name: 'Acme Corporation' };
const LATER = '2026-11-23T06:00:00.000Z';
const otherId = '22222222-2222-4222-8222-222222222222';

const prompts = documentPath(acme.id, 'prompts');
const sources = documentPath(acme.id, 'sources');
const each = eachDocumentService();
const find = async (path: string, id?: string) => await findIn(each.service, path, id);
const keyOf = (snapshotId: string, path: string) => `${snapshotPrefix(workspaceId, snapshotId)}${path}`;
const publishLater = async () => await publishBrands(each.log, workspaceId, [renamed], LATER);
const refresh = async () => await each.service.refresh();
const askFiftyTimes = async () =>
  await Promise.all(Array.from({ length: 50 }, async () => await find(prompts)));

describe('documents', () => {
  test('of a workspace that the log does not name are an empty list of brands and nothing else', async () => {
    await publishBrands(each.log, otherId, [acme]);
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    expect(each.service.status().workspaces).toMatchObject([{ workspaceId, state: 'none', asOf: null }]);
    const snapshotId = await publishBrands(each.log, workspaceId, [acme]);
    await refresh();
    expect((await find(BRANDS_PATH))!.snapshotId).toBe(snapshotId);
  });

  test('are read once for concurrent requests, and later come from memory', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    await refresh();
    expect(await readsOf(each, askFiftyTimes)).toEqual({ history: 1, manifest: 1, document: 1 });
    expect(await readsOf(each, async () => await find(prompts))).toEqual({});
    expect(each.events).toMatchObject({ hits: 1, misses: 50 });
  });

  test('never take more memory than the limit, and are served however small it is', async () => {
    const brands = Array.from({ length: 30 }, (_, n) => ({
      ...acme,
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`,
      name: `Brand ${n}`,
    }));
    await publishBrands(each.log, workspaceId, brands);
    for (const [cacheBytes, isAnyKept] of [
      [20_000, true],
      [100, false],
    ] as const) {
      reopenService(each, { cacheBytes });
      for (const { id, name } of brands) {
        expect(textOf(await find(documentPath(id, 'visibility')))).toContain(`"name":"${name}"`);
        expect(each.service.status().cachedBytes).toBeLessThanOrEqual(cacheBytes);
      }
      expect(each.service.status().cachedDocuments > 0).toBe(isAnyKept);
    }
  });

  test('that do not match the manifest are not served until they match', async () => {
    const key = keyOf(await publishBrands(each.log, workspaceId, [acme]), prompts);
    const whole = each.objects.get(key)!;
    each.objects.set(key, whole.subarray(0, -5));
    await expect(find(prompts)).rejects.toThrow('does not have the bytes that its manifest names');
    expect(await find(BRANDS_PATH)).not.toBeNull();
    each.objects.set(key, whole);
    expect(textOf(await find(prompts))).toBe(whole.toString('utf8'));
  });

  test('of a store that is silent are an error in time, and found once it responds', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    const gate = Promise.withResolvers<void>();
    each.beforeRead = () => gate.promise;
    reopenService(each, { waitMs: 50 });
    await expect(find(prompts)).rejects.toThrow('did not answer within 50 ms');
    gate.resolve();
    await until(() => each.service.status().cachedDocuments === 1);
    expect(await find(prompts)).not.toBeNull();
  });
});

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
    const once = { checkpoint: 2, history: 1, manifest: 1 }; // the second one after the records
    expect(await readsOf(each, refresh)).toEqual({ ...once, tile: expect.any(Number) as number });
    expect(each.events.changed).toEqual([second]);
    const asked = async () => expect(textOf(await find(prompts))).toContain('Acme Corporation');
    expect(await readsOf(each, asked)).toEqual({ document: 1 });
    expect(await readsOf(each, asked)).toEqual({});
  });

  test('costs one read if it does not exist, and only the entries of the log if it is of another workspace', async () => {
    expect(await readsOf(each, refresh)).toEqual({ checkpoint: 1 });
    await publishBrands(each.log, otherId, [acme]);
    expect(Object.keys(await readsOf(each, refresh)).toSorted()).toEqual(['checkpoint', 'tile']);
  });

  test.each([
    ['the manifest is missing', '.manifest.json', null],
    ['the history was changed', '/histories/', '{}\n'],
  ])(
    'does not go into service if %s: the last good one stays, with one alarm',
    async (_what, part, bytes) => {
      const second = await publishLater();
      const whole = copyOf(each);
      const key = [...each.objects.keys()].find((name) => name.includes(part) && !before.has(name))!;
      if (bytes === null) each.objects.delete(key);
      else each.objects.set(key, Buffer.from(bytes));
      for (let round = 0; round < 3; round++) {
        await refresh();
        each.now += 3_600_000; // it is not forgotten like one without requests
      }
      expect(each.events).toMatchObject({ kept: [expect.any(String)], changed: [] });
      expect((await find(prompts))!.snapshotId).toBe(first);
      expect(each.service.status().workspaces).toMatchObject([
        { workspaceId, state: 'kept', asOf: Date.parse('2026-11-16T06:00:00Z') },
      ]);
      putBack(each, whole);
      await refresh();
      expect((await find(prompts))!.snapshotId).toBe(second);
      expect(each.service.status().workspaces).toMatchObject([{ state: 'current' }]);
    },
  );

  test('goes into service if a document of it is missing; that one is an error', async () => {
    const second = await publishLater();
    each.objects.delete(keyOf(second, sources));
    await refresh();
    expect((await find(prompts))!.snapshotId).toBe(second);
    await expect(find(sources)).rejects.toThrow(/sources\.json is missing$/);
  });

  test('is found by the request itself if documents of the old one are gone before the refresh', async () => {
    const second = await publishLater();
    for (const key of each.objects.keys()) if (key.startsWith(keyOf(first, ''))) each.objects.delete(key);
    const refreshed = refresh();
    const found = await Promise.all(Array.from({ length: 10 }, () => find(sources)));
    expect(new Set(found.map((document) => document?.snapshotId))).toEqual(new Set([second]));
    await refreshed;
    expect(each.events).toMatchObject({ kept: [], changed: [second] });
  });

  test('that is withdrawn as mistaken gives way to the one before it', async () => {
    const second = await publishLater();
    await refresh();
    await withdraw(each.log, workspaceId, second, 'mistaken');
    await refresh();
    expect(await find(prompts)).toMatchObject({ snapshotId: first, isFinal: false });
    expect(each.events.changed).toEqual([second, first]);
    await withdraw(each.log, workspaceId, first, 'mistaken');
    await refresh();
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    expect(each.service.status().workspaces).toMatchObject([{ state: 'none' }]);
  });
});

test('a workspace is forgotten after ten minutes without requests', async () => {
  await publishBrands(each.log, workspaceId, [acme]);
  const inUse = async () => {
    await refresh();
    return each.service.status().workspaces.length;
  };
  for (let round = 0; round < 2; round++) {
    await find(prompts);
    each.now += 600_000;
    expect(await inUse()).toBe(1);
  }
  each.now += 1;
  expect(await inUse()).toBe(0);
});
