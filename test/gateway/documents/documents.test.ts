import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { BRANDS_PATH, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { withdraw } from '../../adapters/publish.ts';
import type { Objects } from '../../support/memory-store.ts';
import { until } from '../../support/until.ts';
import { copyOf, eachDocumentService, findIn, putBack, reopenService, textOf } from './document-service.ts';
import { workspaceId } from './document-service.ts';
import { acme, numberedBrands, publishBrands } from '../snapshots.ts';

const otherId = '22222222-2222-4222-8222-222222222222';
const prompts = documentPath(acme.id, 'prompts');
const sources = documentPath(acme.id, 'sources');
const each = eachDocumentService();
const find = async (path: string) => await findIn(each, path);
const findOld = async (snapshotId: string, path = BRANDS_PATH) => await findIn(each, path, { snapshotId });
const keyOf = (snapshotId: string, path: string) => `${snapshotPrefix(workspaceId, snapshotId)}${path}`;
const refresh = async () => await each.service.refresh();
const publish = async () => await publishBrands(each.log, workspaceId, [acme]);
const publishLater = async () => {
  const renamed = { ...acme, name: 'Acme Corporation' };
  return await publishBrands(each.log, workspaceId, [renamed], '2026-11-23T06:00:00.000Z');
};
const statuses = () => each.service.status().workspaces;

/** The kinds of objects that `work` reads, with their numbers. */
async function readsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  each.reads = [];
  await work();
  const counts: Record<string, number> = {};
  for (const object of each.reads) counts[object] = (counts[object] ?? 0) + 1;
  return counts;
}

describe('documents', () => {
  test('are read once for concurrent requests, and later come from memory', async () => {
    await expect(find(prompts)).rejects.toThrow('has no log yet: nothing was published');
    await publish();
    await refresh();
    const reads = await readsOf(
      async () => await Promise.all(Array.from({ length: 50 }, async () => await find(prompts))),
    );
    expect(reads).toEqual({ history: 1, manifest: 1, document: 1 });
    expect(await readsOf(async () => await find(prompts))).toEqual({});
    expect(each.events).toMatchObject({ hits: 1, misses: 50 });
  });

  test('never take more memory than the limit, and are served however small it is', async () => {
    const brands = numberedBrands(30);
    await publishBrands(each.log, workspaceId, brands);
    expect(JSON.parse(textOf(await find(BRANDS_PATH))!)).toEqual({ data: brands });
    for (const cacheBytes of [20_000, 100]) {
      reopenService(each, { cacheBytes });
      for (const { id, name } of brands) {
        expect(textOf(await find(documentPath(id, 'visibility')))).toContain(`"name":"${name}"`);
        expect(each.service.status().cachedBytes).toBeLessThanOrEqual(cacheBytes);
      }
      expect(each.service.status().cachedDocuments > 0).toBe(cacheBytes === 20_000);
    }
  });

  test('of a store that is silent are an error in time, and found once it responds', async () => {
    await publish();
    const gate = Promise.withResolvers<void>();
    const get = each.log.store.get.bind(each.log.store);
    vi.spyOn(each.log.store, 'get').mockImplementation(async (...asked) => {
      await gate.promise;
      return await get(...asked);
    });
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
    first = await publish();
    await find(prompts);
    before = copyOf(each);
  });

  test('is looked for as often as is set, until the service is closed', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    reopenService(each, { refreshSeconds: 15 });
    const refreshed = vi.spyOn(each.service, 'refresh').mockResolvedValue();
    vi.advanceTimersByTime(29_999);
    each.service.close();
    vi.advanceTimersByTime(60_000);
    expect(refreshed).toHaveBeenCalledTimes(1);
  });

  test('goes into service with a refresh, and each of its documents is read when it is asked for', async () => {
    expect(await readsOf(refresh)).toEqual({ checkpoint: 1 });
    await publishBrands(each.log, otherId, [acme]);
    expect(Object.keys(await readsOf(refresh)).toSorted()).toEqual(['checkpoint', 'tile']);
    const second = await publishLater();
    expect((await find(prompts))!.snapshotId).toBe(first);
    const once = { checkpoint: 2, history: 1, manifest: 1 }; // the second one after the records
    expect(await readsOf(refresh)).toMatchObject(once);
    expect(each.events.changed).toEqual([second]);
    const asked = async () => expect(textOf(await find(prompts))).toContain('Acme Corporation');
    expect(await readsOf(asked)).toEqual({ document: 1 });
    expect(await readsOf(asked)).toEqual({});
  });

  test('is not looked for where no request came for ten minutes', async () => {
    each.now += 600_000;
    await refresh();
    expect(statuses()).toMatchObject([{ workspaceId }]);
    each.now += 1;
    await refresh();
    expect(statuses()).toEqual([]);
    await find(prompts);
    for (const again of [async () => await find(prompts), refresh]) {
      each.now += 400_000;
      await again();
    }
    expect(statuses()).toMatchObject([{ workspaceId }]);
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
      const asOf = Date.parse('2026-11-16T06:00:00Z');
      expect(statuses()).toMatchObject([{ workspaceId, state: 'kept', asOf }]);
      reopenService(each);
      await expect(find(prompts)).rejects.toThrow(key);
      putBack(each, whole);
      await refresh();
      expect((await find(prompts))!.snapshotId).toBe(second);
      expect(statuses()).toMatchObject([{ state: 'current' }]);
    },
  );

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
    await withdraw(each.log, workspaceId, [{ snapshotId: second, reason: 'mistaken' }]);
    await refresh();
    expect(await find(prompts)).toMatchObject({ snapshotId: first, isFinal: false });
    await withdraw(each.log, workspaceId, [{ snapshotId: first, reason: 'mistaken' }]);
    await refresh();
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    expect(each.events.changed).toEqual([second, first, null]);
    expect(statuses()).toMatchObject([{ state: 'none', asOf: null }]);
  });
});

describe('a past snapshot', () => {
  let first: string;
  let second: string;
  beforeEach(async () => {
    first = await publish();
    second = await publishLater();
  });
  const proof = async () => await each.service.find(workspaceId, { of: 'proof', snapshotId: first });
  /** What the list says of the first one. */
  const entries = async () => {
    const list = textOf(await each.service.find(workspaceId, { of: 'list' }))!;
    return (JSON.parse(list) as { data: { id: string }[] }).data.filter(({ id }) => id === first);
  };

  test.each([
    ['.manifest.json', BRANDS_PATH],
    [BRANDS_PATH, BRANDS_PATH],
    ['/prompts.json', prompts],
  ])('is served only with the %s that was published', async (name, path) => {
    const expected = textOf(await findOld(first, path));
    reopenService(each);
    await each.service.find(workspaceId, { of: 'list' });
    const prefix = snapshotPrefix(workspaceId, first);
    const key = [...each.objects.keys()].find((found) => found.startsWith(prefix) && found.endsWith(name))!;
    const whole = each.objects.get(key)!;
    each.objects.set(key, whole.subarray(0, -5));
    const reads = await readsOf(async () => await expect(findOld(first, path)).rejects.toThrow(name));
    expect(Math.max(...Object.values(reads))).toBe(1); // nothing is read again in vain
    expect(textOf(await findOld(second))).toContain('Acme Corporation');
    each.objects.set(key, whole);
    expect(textOf(await findOld(first, path))).toBe(expected);
  });

  test.each([
    ['mistaken', { listed: true, documents: true, proof: true }],
    ['pruned', { listed: true, documents: false, proof: true }],
    ['lost', { listed: true, documents: false, proof: false }],
    ['removed', { listed: false, documents: false, proof: false }],
  ] as const)(
    'that is withdrawn as %s is listed and serves what is left, also before a refresh',
    async (reason, left) => {
      const of = { sequence: 1, brands: 1, isCurrent: false };
      for (const found of [await findOld(first), await proof()]) expect(found).not.toBeNull();
      expect(await entries()).toMatchObject([{ ...of, isPruned: false, withdrawn: null }]);
      await withdraw(each.log, workspaceId, [{ snapshotId: first, reason }]);
      await refresh();
      const listed = { ...of, isPruned: reason === 'pruned', withdrawn: reason };
      expect(await entries()).toMatchObject(left.listed ? [listed] : []);
      expect((await findOld(first)) !== null).toBe(left.documents);
      expect((await proof()) !== null).toBe(left.proof);
      expect(await findOld(second)).not.toBeNull();
    },
  );

  test('is not an error if it is requested before the gateway knows that its documents are gone', async () => {
    await find(BRANDS_PATH);
    await withdraw(each.log, workspaceId, [{ snapshotId: first, reason: 'pruned' }]);
    for (const key of each.objects.keys())
      if (key.startsWith(keyOf(first, 'brands'))) each.objects.delete(key);
    expect(await findOld(first)).toBeNull();
    expect(await proof()).not.toBeNull();
  });
});
