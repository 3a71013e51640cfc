import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { Failure } from '../../../lib/failure.ts';
import { BRANDS_PATH, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { until } from '../../support/until.ts';
import {
  eachDocumentService,
  findIn,
  readsOf,
  reopenService,
  textOf,
  withdraw,
  workspaceId,
} from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const prompts = documentPath(acme.id, 'prompts');
const each = eachDocumentService();
const find = async (path: string, id?: string) => await findIn(each.service, path, id);
const keyOf = (snapshotId: string, path: string) => `${snapshotPrefix(workspaceId, snapshotId)}${path}`;

describe('documents', () => {
  test('have the published bytes and the id of their snapshot', async () => {
    const snapshotId = await publishBrands(each.log, workspaceId, [acme]);
    const found = await find(prompts);
    const published = await each.store.get(keyOf(snapshotId, prompts));
    expect(textOf(found)).toBe(published!.bytes.toString('utf8'));
    expect(found!.snapshotId).toBe(snapshotId);
  });

  test('of a workspace that the log does not name are an empty list of brands and nothing else', async () => {
    await publishBrands(each.log, '22222222-2222-4222-8222-222222222222', [acme]);
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    expect(each.service.status().workspaces).toMatchObject([{ workspaceId, state: 'none', asOf: null }]);
    const snapshotId = await publishBrands(each.log, workspaceId, [acme]);
    await each.service.refresh();
    expect((await find(BRANDS_PATH))!.snapshotId).toBe(snapshotId);
  });

  test('that the manifest does not list are not found, without a read of the store', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    await find(BRANDS_PATH);
    each.reads = [];
    for (const brandId of ['nobody', '..', '__proto__', 'constructor', ''])
      expect(await find(documentPath(brandId, 'prompts'))).toBeNull();
    expect(each.reads).toEqual([]);
  });

  test('are read once for concurrent requests, and later come from memory', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    await each.service.refresh();
    const many = () => Promise.all(Array.from({ length: 50 }, () => find(prompts)));
    expect(await readsOf(each, many)).toEqual({ history: 1, manifest: 1, document: 1 });
    each.reads = [];
    await find(prompts);
    expect(each.reads).toEqual([]);
    expect(each.events).toMatchObject({ hits: 1, misses: 50 });
  });

  test('of the same content are cached once for all workspaces', async () => {
    const other = '22222222-2222-4222-8222-222222222222';
    await publishBrands(each.log, workspaceId, [acme]);
    await publishBrands(each.log, other, [acme]);
    await find(prompts);
    const { cachedBytes } = each.service.status();
    await find(prompts, other);
    expect(each.service.status()).toMatchObject({ cachedBytes, cachedDocuments: 1 });
  });

  test('never take more memory than the limit', async () => {
    const brands = Array.from({ length: 30 }, (_, n) => ({
      ...acme,
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`,
      name: `Brand ${n}`,
    }));
    await publishBrands(each.log, workspaceId, brands);
    reopenService(each, { cacheBytes: 20_000 });
    for (const { id, name } of [...brands, ...brands]) {
      expect(textOf(await find(documentPath(id, 'visibility')))).toContain(`"name":"${name}"`);
      expect(each.service.status().cachedBytes).toBeLessThanOrEqual(20_000);
    }
    expect(each.service.status().cachedDocuments).toBeGreaterThan(1);
    expect(each.service.status().cachedDocuments).toBeLessThan(30);
  });

  test('larger than the cache are served too', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    reopenService(each, { cacheBytes: 100 });
    expect(textOf(await find(prompts))).toContain('"prompts":[');
    expect(each.service.status().cachedDocuments).toBe(0);
  });

  test('of a snapshot that was replaced and pruned are those of the next one, before any refresh', async () => {
    const first = await publishBrands(each.log, workspaceId, [acme]);
    await find(BRANDS_PATH);
    const newest = await publishBrands(each.log, workspaceId, [acme], '2026-11-23T06:00:00.000Z');
    await withdraw(each.log, workspaceId, first, 'pruned');
    for (const key of each.objects.keys())
      if (key.startsWith(keyOf(first, 'brands'))) each.objects.delete(key);
    const found = await Promise.all(Array.from({ length: 10 }, () => find(prompts)));
    expect(new Set(found.map((document) => document?.snapshotId))).toEqual(new Set([newest]));
    expect(each.events).toMatchObject({ kept: [], changed: [newest] });
  });

  test('of a new snapshot are served after the refresh time, without a request for them', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    reopenService(each, { refreshSeconds: 0.01 });
    await find(prompts);
    const newest = await publishBrands(each.log, workspaceId, [acme], '2026-11-23T06:00:00.000Z');
    await until(() => each.events.changed.includes(newest));
    expect((await find(prompts))!.snapshotId).toBe(newest);
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

  test('decompress to the published bytes', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    const { gunzipSync } = await import('node:zlib');
    const { variants } = (await find(prompts))!.document;
    expect(gunzipSync(variants.gzip.body)).toEqual(variants.identity.body);
    expect(variants.identity.tag).toBe(`"${sha256(variants.identity.body)}"`);
    expect(new Set(Object.values(variants).map(({ tag }) => tag)).size).toBe(2);
  });
});

const away = () => Promise.reject(new Failure('the store is away'));

describe('a store that cannot be read', () => {
  test('is an error for documents that are not in memory, never an empty workspace', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    await find(prompts);
    each.beforeRead = away;
    expect(await find(prompts)).not.toBeNull();
    await expect(find(BRANDS_PATH)).rejects.toThrow('the store is away');
    reopenService(each);
    for (const id of [workspaceId, '33333333-3333-4333-8333-333333333333'])
      await expect(find(BRANDS_PATH, id)).rejects.toThrow('the store is away');
    each.beforeRead = () => Promise.resolve();
    expect(await find(BRANDS_PATH)).not.toBeNull();
  });

  test('that is silent is an error in time, and the document is found once the store responds', async () => {
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
