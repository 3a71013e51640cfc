import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Found } from '../../../gateway/documents/documents.ts';
import { sha256 } from '../../../lib/hash.ts';
import { BRANDS_PATH, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import { until } from '../../support/until.ts';
import { eachDocumentService, findIn, reopenService, textOf, workspaceId } from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const prompts = documentPath(acme.id, 'prompts');
const each = eachDocumentService();
const find = async (path: string, id?: string) => await findIn(each.service, path, id);
const fileOf = (key: string) => join(each.folder, 'store', key);

describe('documents', () => {
  test('have the published bytes and the id of their snapshot', async () => {
    const snapshotId = await publishBrands(each.store, workspaceId, [acme]);
    const found = await find(prompts);
    const published = await each.store.get(`${snapshotPrefix(workspaceId, snapshotId)}${prompts}`);
    expect(textOf(found)).toBe(published!.bytes.toString('utf8'));
    expect(found!.snapshotId).toBe(snapshotId);
  });

  test('of a workspace without a snapshot are an empty list of brands and nothing else', async () => {
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    const snapshotId = await publishBrands(each.store, workspaceId, [acme]);
    await each.service.refresh();
    expect((await find(BRANDS_PATH))!.snapshotId).toBe(snapshotId);
  });

  test('that the manifest does not list are not found, without a read of the store', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    await find(BRANDS_PATH);
    each.reads = [];
    for (const path of ['brands/nobody/prompts.json', 'manifest.json', '../current.json', '__proto__', '']) {
      expect(await find(path)).toBeNull();
    }
    expect(each.reads).toEqual([]);
  });

  test('are read once for concurrent requests, and later come from memory', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    each.reads = [];
    await Promise.all(Array.from({ length: 50 }, () => find(prompts)));
    expect(each.reads).toHaveLength(3); // pointer, manifest, document
    each.reads = [];
    let warm: Found | null = null;
    each.service.find(workspaceId, prompts, (_error, found) => {
      warm = found;
    });
    expect(warm).not.toBeNull(); // within the same turn
    expect(each.reads).toEqual([]);
    expect(each.events).toMatchObject({ hits: 1, misses: 50 });
  });

  test('of the same content are cached once for all workspaces', async () => {
    const other = '22222222-2222-4222-8222-222222222222';
    await publishBrands(each.store, workspaceId, [acme]);
    await publishBrands(each.store, other, [acme]);
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
    await publishBrands(each.store, workspaceId, brands);
    reopenService(each, 20_000);
    for (const { id, name } of [...brands, ...brands]) {
      expect(textOf(await find(documentPath(id, 'visibility')))).toContain(`"name":"${name}"`);
      expect(each.service.status().cachedBytes).toBeLessThanOrEqual(20_000);
    }
    expect(each.service.status().cachedDocuments).toBeGreaterThan(1);
    expect(each.service.status().cachedDocuments).toBeLessThan(30);
  });

  test('larger than the cache are served too', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    reopenService(each, 100);
    expect(textOf(await find(prompts))).toContain('"prompts":[');
    expect(each.service.status().cachedDocuments).toBe(0);
  });

  test('of a snapshot that was replaced and pruned are those of the next one, before any refresh', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    await find(BRANDS_PATH);
    const newest = await publishBrands(each.store, workspaceId, [acme], '2026-11-23T06:00:00.000Z');
    const keep = [{ newest: 1 }];
    await pruneSnapshots(each.store, { keep, trust: null, now: Date.UTC(2027, 0, 1), isDryRun: false });
    const found = await Promise.all(Array.from({ length: 10 }, () => find(prompts)));
    expect(new Set(found.map((document) => document?.snapshotId))).toEqual(new Set([newest]));
    expect(each.events).toMatchObject({ kept: [], changed: [newest] });
  });

  test('that do not match the manifest are not served until they match', async () => {
    const snapshotId = await publishBrands(each.store, workspaceId, [acme]);
    const file = fileOf(`${snapshotPrefix(workspaceId, snapshotId)}${prompts}`);
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, -5));
    await expect(find(prompts)).rejects.toThrow('does not have the bytes that its manifest names');
    expect(await find(BRANDS_PATH)).not.toBeNull();
    await writeFile(file, whole);
    expect(textOf(await find(prompts))).toBe(whole.toString('utf8'));
  });

  test('decompress to the published bytes', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    const { gunzipSync, brotliDecompressSync } = await import('node:zlib');
    const { variants } = (await find(prompts))!.document;
    expect(gunzipSync(variants.gzip.body)).toEqual(variants.identity.body);
    expect(brotliDecompressSync(variants.br.body)).toEqual(variants.identity.body);
    expect(variants.identity.tag).toBe(`"${sha256(variants.identity.body)}"`);
    expect(new Set(Object.values(variants).map(({ tag }) => tag)).size).toBe(3);
  });
});

describe('a store that cannot be read', () => {
  test('is an error for documents that are not in memory, never an empty workspace', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    await find(prompts);
    await rename(join(each.folder, 'store'), join(each.folder, 'elsewhere'));
    expect(await find(prompts)).not.toBeNull();
    await expect(find(BRANDS_PATH)).rejects.toThrow('missing');
    await expect(find(BRANDS_PATH, '33333333-3333-4333-8333-333333333333')).rejects.toThrow('does not exist');
    await rename(join(each.folder, 'elsewhere'), join(each.folder, 'store'));
    expect(await find(BRANDS_PATH)).not.toBeNull();
  });

  test('that is silent is an error in time, and the document is found once the store responds', async () => {
    await publishBrands(each.store, workspaceId, [acme]);
    const gate = Promise.withResolvers<void>();
    const published = { ...each.store };
    each.store.get = async (key) => {
      await gate.promise;
      return await published.get(key);
    };
    reopenService(each, undefined, 50);
    await expect(find(prompts)).rejects.toThrow('did not answer within 50 ms');
    gate.resolve();
    await until(() => each.service.status().cachedDocuments === 1);
    expect(await find(prompts)).not.toBeNull();
  });
});
