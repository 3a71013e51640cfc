import { readFile, rename, rm, writeFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { documentService } from '../../gateway/documents/documents.ts';
import type { DocumentService, Found } from '../../gateway/documents/documents.ts';
import {
  BRANDS_PATH,
  documentPath,
  manifestKey,
  pointerKey,
  snapshotPrefix,
} from '../../snapshots/layout.ts';
import { until } from '../support/until.ts';
import { acme, publishBrands } from './snapshots.ts';

const workspaceId = '11111111-1111-4111-8111-111111111111';
const prompts = documentPath(acme.id, 'prompts');
const renamed = { ...acme, name: 'Acme Corporation' };
const LATER = '2026-11-23T06:00:00.000Z';

let folder: string;
let store: ObjectStore;
let reads: string[];
let service: DocumentService;
let events: { kept: string[]; changed: (string | null)[]; hits: number; misses: number };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-documents-'));
  const directory = directoryStore(join(folder, 'store'));
  reads = [];
  store = {
    ...directory,
    get: (key) => {
      reads.push(key);
      return directory.get(key);
    },
  };
  await mkdir(join(folder, 'store'));
  service = open();
});
afterEach(async () => {
  service.close();
  await rm(folder, { recursive: true, force: true });
});

let now = 0;

function open(cacheBytes = 64 * 1024 * 1024, waitMs?: number): DocumentService {
  events = { kept: [], changed: [], hits: 0, misses: 0 };
  return documentService(store, {
    cacheBytes,
    refreshSeconds: 3600,
    now: () => now,
    waitMs,
    observer: {
      cacheHit: () => void (events.hits += 1),
      cacheMiss: () => void (events.misses += 1),
      snapshotKept: (_id, reason) => void events.kept.push(String(reason)),
      snapshotChanged: (_id, snapshotId) => void events.changed.push(snapshotId),
    },
  });
}

const find = (path: string, id = workspaceId) =>
  new Promise<Found | null>((resolve, reject) =>
    service.find(id, path, (error, found) => (error === null ? resolve(found) : reject(error))),
  );
const textOf = (found: Found | null) => found?.document.variants.identity.body.toString('utf8');
const fileOf = (key: string) => join(folder, 'store', key);

describe('documents', () => {
  test('are the published bytes, and say which snapshot they are from', async () => {
    const snapshotId = await publishBrands(store, workspaceId, [acme]);
    const found = await find(prompts);
    const published = await store.get(`${snapshotPrefix(workspaceId, snapshotId)}${prompts}`);
    expect(textOf(found)).toBe(published!.bytes.toString('utf8'));
    expect(found!.snapshotId).toBe(snapshotId);
  });

  test('of a workspace without a snapshot are an empty list of brands and nothing else', async () => {
    expect(textOf(await find(BRANDS_PATH))).toBe('{"data":[]}\n');
    expect(await find(prompts)).toBeNull();
    const snapshotId = await publishBrands(store, workspaceId, [acme]);
    await service.refresh();
    expect((await find(BRANDS_PATH))!.snapshotId).toBe(snapshotId);
  });

  test('that the manifest does not name are not there, without asking the store again', async () => {
    await publishBrands(store, workspaceId, [acme]);
    await find(BRANDS_PATH);
    reads = [];
    for (const path of ['brands/nobody/prompts.json', 'manifest.json', '../current.json', '__proto__', '']) {
      expect(await find(path)).toBeNull();
    }
    expect(reads).toEqual([]);
  });

  test('are read once, however many wait for them, and from memory ever after', async () => {
    await publishBrands(store, workspaceId, [acme]);
    reads = [];
    await Promise.all(Array.from({ length: 50 }, () => find(prompts)));
    expect(reads).toHaveLength(3); // pointer, manifest, document
    reads = [];
    let warm: Found | null = null;
    service.find(workspaceId, prompts, (_error, found) => {
      warm = found;
    });
    expect(warm).not.toBeNull(); // within the same turn
    expect(reads).toEqual([]);
    expect(events).toMatchObject({ hits: 1, misses: 50 });
  });

  test('of one content are kept once, whatever workspaces they belong to', async () => {
    const other = '22222222-2222-4222-8222-222222222222';
    await publishBrands(store, workspaceId, [acme]);
    await publishBrands(store, other, [acme]);
    await find(prompts);
    const { cachedBytes } = service.status();
    await find(prompts, other);
    expect(service.status()).toMatchObject({ cachedBytes, cachedDocuments: 1 });
  });

  test('never take more memory than they may', async () => {
    const brands = Array.from({ length: 30 }, (_, n) => ({
      ...acme,
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`,
      name: `Brand ${n}`,
    }));
    await publishBrands(store, workspaceId, brands);
    service.close();
    service = open(20_000);
    for (const { id, name } of [...brands, ...brands]) {
      expect(textOf(await find(documentPath(id, 'visibility')))).toContain(`"name":"${name}"`);
      expect(service.status().cachedBytes).toBeLessThanOrEqual(20_000);
    }
    expect(service.status().cachedDocuments).toBeGreaterThan(1);
    expect(service.status().cachedDocuments).toBeLessThan(30);
  });

  test('too large for the memory are served all the same', async () => {
    await publishBrands(store, workspaceId, [acme]);
    service.close();
    service = open(100);
    expect(textOf(await find(prompts))).toContain('"prompts":[');
    expect(service.status().cachedDocuments).toBe(0);
  });

  test('that are not what the manifest says are not served, and are once they are', async () => {
    const snapshotId = await publishBrands(store, workspaceId, [acme]);
    const file = fileOf(`${snapshotPrefix(workspaceId, snapshotId)}${prompts}`);
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, -5));
    await expect(find(prompts)).rejects.toThrow('does not have the bytes that its manifest names');
    expect(await find(BRANDS_PATH)).not.toBeNull();
    await writeFile(file, whole);
    expect(textOf(await find(prompts))).toBe(whole.toString('utf8'));
  });

  test('decompress to the published bytes', async () => {
    await publishBrands(store, workspaceId, [acme]);
    const { gunzipSync, brotliDecompressSync } = await import('node:zlib');
    const { variants } = (await find(prompts))!.document;
    expect(gunzipSync(variants.gzip.body)).toEqual(variants.identity.body);
    expect(brotliDecompressSync(variants.br.body)).toEqual(variants.identity.body);
    expect(variants.identity.tag).toBe(`"${sha256(variants.identity.body)}"`);
    expect(new Set(Object.values(variants).map(({ tag }) => tag)).size).toBe(3);
  });
});

describe('a newer snapshot', () => {
  let first: string;
  beforeEach(async () => {
    first = await publishBrands(store, workspaceId, [acme]);
    await find(prompts);
  });

  test('goes into service with a refresh, and the documents in use with it', async () => {
    const second = await publishBrands(store, workspaceId, [renamed], LATER);
    expect((await find(prompts))!.snapshotId).toBe(first);
    await service.refresh();
    expect(events.changed).toEqual([second]);
    reads = [];
    const found = await find(prompts);
    expect(found!.snapshotId).toBe(second);
    expect(textOf(found)).toContain('Acme Corporation');
    expect(reads).toEqual([]);
  });

  test('costs one read where there is none', async () => {
    reads = [];
    await service.refresh();
    expect(reads).toEqual([pointerKey(workspaceId)]);
  });

  test.each<[string, (second: string) => Promise<void>]>([
    ['a document is missing', (id) => rm(fileOf(`${snapshotPrefix(workspaceId, id)}${prompts}`))],
    [
      'a document is cut short',
      (id) => writeFile(fileOf(`${snapshotPrefix(workspaceId, id)}${BRANDS_PATH}`), '{"da'),
    ],
    ['the manifest is missing', (id) => rm(fileOf(manifestKey(workspaceId, id)))],
    ['the manifest was changed', (id) => writeFile(fileOf(manifestKey(workspaceId, id)), '{}')],
    ['the pointer is no JSON', () => writeFile(fileOf(pointerKey(workspaceId)), '{"format":1,"snapsh')],
    ['the pointer is of another format', () => writeFile(fileOf(pointerKey(workspaceId)), '{"format":2}')],
    ['the pointer has gone', () => rm(fileOf(pointerKey(workspaceId)))],
    ['the store has gone', () => rename(join(folder, 'store'), join(folder, 'elsewhere'))],
    [
      'the store is empty',
      async () => {
        await rm(join(folder, 'store'), { recursive: true });
        await mkdir(join(folder, 'store'));
      },
    ],
  ])('does not go into service where %s: the last good one stays, with one alarm', async (_what, breakIt) => {
    await breakIt(await publishBrands(store, workspaceId, [renamed], LATER));
    for (let round = 0; round < 5; round++) {
      await service.refresh();
      now += 30_000;
    }
    expect(events.kept).toHaveLength(1);
    expect(events.changed).toEqual([]);
    expect((await find(prompts))!.snapshotId).toBe(first);
    expect(service.status().workspaces).toMatchObject([
      { workspaceId, state: 'kept', asOf: Date.parse('2026-11-16T06:00:00Z') },
    ]);
  });

  test('goes into service by itself once it is whole', async () => {
    const second = await publishBrands(store, workspaceId, [renamed], LATER);
    const file = fileOf(`${snapshotPrefix(workspaceId, second)}${prompts}`);
    const whole = await readFile(file);
    await rm(file);
    await service.refresh();
    expect(service.status().workspaces[0]!.state).toBe('kept');
    await writeFile(file, whole);
    await service.refresh();
    expect(events.changed).toEqual([second]);
    expect(service.status().workspaces[0]!.state).toBe('current');
  });

  test('of a workspace of which every object is gone leaves the last good one in service', async () => {
    const before = textOf(await find(BRANDS_PATH));
    await publishBrands(store, '22222222-2222-4222-8222-222222222222', [acme]);
    await rm(fileOf(`workspaces/${workspaceId}`), { recursive: true });
    await service.refresh();
    expect(textOf(await find(BRANDS_PATH))).toBe(before);
    expect(events.kept).toHaveLength(1);
  });

  test('is found by the request itself where the old one was pruned in between', async () => {
    const second = await publishBrands(store, workspaceId, [renamed], LATER);
    const competitors = documentPath(acme.id, 'competitors');
    await rm(fileOf(snapshotPrefix(workspaceId, first)), { recursive: true });
    const refreshed = service.refresh();
    const found = find(competitors).catch(() => null);
    await refreshed;
    await found;
    expect((await find(competitors))!.snapshotId).toBe(second);
  });
});

describe('a store that cannot be read', () => {
  test('is an error for what is not in memory, never an empty workspace', async () => {
    await publishBrands(store, workspaceId, [acme]);
    await find(prompts);
    await rename(join(folder, 'store'), join(folder, 'elsewhere'));
    expect(await find(prompts)).not.toBeNull();
    await expect(find(BRANDS_PATH)).rejects.toThrow('missing');
    await expect(find(BRANDS_PATH, '33333333-3333-4333-8333-333333333333')).rejects.toThrow('does not exist');
    await rename(join(folder, 'elsewhere'), join(folder, 'store'));
    expect(await find(BRANDS_PATH)).not.toBeNull();
  });

  test('that is silent is an error in time, and the document is there once it has answered', async () => {
    await publishBrands(store, workspaceId, [acme]);
    service.close();
    const gate = Promise.withResolvers<void>();
    const published = { ...store };
    store.get = async (key) => {
      await gate.promise;
      return await published.get(key);
    };
    service = open(undefined, 50);
    await expect(find(prompts)).rejects.toThrow('did not answer within 50 ms');
    gate.resolve();
    await until(() => service.status().cachedDocuments === 1);
    expect(await find(prompts)).not.toBeNull();
  });
});
