import { beforeEach, afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { documentService } from '../../../gateway/documents/documents.ts';
import type { DocumentService, Found } from '../../../gateway/documents/documents.ts';
import { BRANDS_PATH, pointerKey, snapshotPrefix } from '../../../snapshots/layout.ts';
import { firstSnapshot } from '../../snapshots/first-snapshot.ts';

const MANY = 1000;
const BRANDS = 20;
const body = Buffer.from('{"data":[]}\n');
const idOf = (n: number) => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`;
const documents = [
  BRANDS_PATH,
  ...Array.from({ length: BRANDS }, (_, n) => `brands/${idOf(n)}/prompts.json`),
].map((path) => ({ path, bytes: body.length, sha256: sha256(body) }));

/** A store in memory: publishing a thousand folders would take longer than all other tests. */
let objects: Map<string, Buffer>;
let reads: string[];
let service: DocumentService;
let now = 0;
const nothing = () => undefined;

const content = {
  asOf: '2026-11-16T06:00:00.000Z',
  methodologyVersion: '1',
  documents: documents.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
};

function publish(n: number): void {
  const { snapshotId, objects: made } = firstSnapshot(idOf(n), content);
  for (const [key, bytes] of made) objects.set(key, bytes);
  for (const { path } of documents) objects.set(snapshotPrefix(idOf(n), snapshotId) + path, body);
}

beforeEach(() => {
  objects = new Map();
  reads = [];
  for (let n = 0; n < MANY; n++) publish(n);
  const store: Partial<ObjectStore> = {
    url: 'memory',
    folders: async () => [idOf(0)],
    get: async (key) => {
      reads.push(key);
      const bytes = objects.get(key);
      return bytes === undefined ? null : { bytes, version: '1' };
    },
  };
  service = documentService(store as ObjectStore, {
    cacheBytes: 1_000_000,
    refreshSeconds: 3600,
    now: () => now,
    observer: { cacheHit: nothing, cacheMiss: nothing, snapshotKept: nothing, snapshotChanged: nothing },
  });
});
afterEach(() => service.close());

const find = (id: string) =>
  new Promise<Found | null>((resolve, reject) =>
    service.find(id, BRANDS_PATH, (error, found) => (error === null ? resolve(found) : reject(error))),
  );

describe('many workspaces', () => {
  test('are served without a read of the store after the first request of each', async () => {
    for (let n = 0; n < MANY; n++) await find(idOf(n));
    expect(reads).toHaveLength(2 * MANY + 1); // pointers, manifests, and the one document that all share
    reads = [];
    for (let n = 0; n < MANY; n++) expect(await find(idOf(n))).not.toBeNull();
    expect(reads).toEqual([]);
    expect(service.status().workspaces).toHaveLength(MANY);
  });

  test('never evict one whose newest snapshot cannot be read, even without requests', async () => {
    await find(idOf(0));
    objects.set(pointerKey(idOf(0)), Buffer.from('{"format":2}'));
    await service.refresh();
    for (let n = 1; n < MANY; n++) await find(idOf(n));
    now += 3_600_000;
    await service.refresh();
    expect(service.status().workspaces).toMatchObject([{ workspaceId: idOf(0), state: 'kept' }]);
    expect(await find(idOf(0))).not.toBeNull();
  });

  test('are forgotten after ten minutes without requests', async () => {
    await find(idOf(1));
    now += 599_000;
    await service.refresh();
    expect(service.status().workspaces).toHaveLength(1);
    await find(idOf(1));
    now += 599_000;
    await service.refresh();
    expect(service.status().workspaces).toHaveLength(1);
    now += 2000;
    await service.refresh();
    expect(service.status().workspaces).toEqual([]);
  });
});

test('a pointer that cannot be read is read less and less often, but at least every half minute', async () => {
  await find(idOf(0));
  objects.delete(pointerKey(idOf(0)));
  const looks: number[] = [];
  for (const began = now; now < began + 120_000; now += 1000) {
    reads = [];
    await service.refresh();
    if (reads.length > 0) looks.push((now - began) / 1000);
  }
  expect(looks).toEqual([0, 1, 3, 9, 23, 53, 83, 113]);
});

test('an error that a callback throws is passed to the callback, and never ends the process', async () => {
  const errors: unknown[] = [];
  await new Promise<void>((resolve) => {
    service.find(idOf(0), BRANDS_PATH, (error, found) => {
      if (found !== null) throw new Error('a defect');
      errors.push(error);
      resolve();
    });
  });
  expect(String(errors)).toBe('Error: a defect');
});
