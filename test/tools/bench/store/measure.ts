import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { DocumentService } from '../../../../gateway/documents/documents.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { BRANDS_PATH, documentAt, documentPath } from '../../../../snapshots/layout.ts';
import type { SnapshotContent } from '../../../../snapshots/publish/write-snapshot.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import { benchBrand, benchPublication } from '../gateway/fixture.ts';
import { benchLog, publishAll } from '../log.ts';

export interface Size {
  workspaces: number;
  brands: number;
}

export interface Row extends Record<string, string | number> {
  store: string;
  workspaces: number;
  what: string;
  seconds: string;
  reads: number;
}

/** Publishes two weeks of all workspaces, and follows them with one gateway that has every workspace in use. */
export async function measureStore(
  scratch: string,
  name: string,
  store: ObjectStore,
  size: Size,
): Promise<Row[]> {
  const counted = countReads(store);
  const log = await benchLog(`${scratch}/${randomUUID()}`, counted.store, memoryStore(new Map()));
  const ids = Array.from({ length: size.workspaces }, () => randomUUID());
  const rows: Row[] = [];
  const measure = async (what: string, work: () => Promise<unknown>) => {
    const [before, began] = [counted.reads(), performance.now()];
    await work();
    const seconds = ((performance.now() - began) / 1000).toFixed(2);
    rows.push({ store: name, workspaces: size.workspaces, what, seconds, reads: counted.reads() - before });
  };
  await measure('publish a week', async () => await publishAll(log, contentsOf(ids, size.brands, 1)));
  const gateway = new DocumentService(counted.store, {
    origin: log.origin,
    trust: () => Promise.resolve(log.signer.trust),
    memory: { readCheckpoint: () => Promise.resolve(null), keepCheckpoint: () => Promise.resolve() },
    cacheBytes: 1 << 30,
    refreshSeconds: 3600,
    observer: silent,
    waitMs: 60_000,
  });
  try {
    await measure('cold start', async () => await gateway.refresh());
    await measure('first request of each workspace', async () => await askAll(gateway, ids));
    await measure('a refresh, nothing new', async () => await gateway.refresh());
    await measure('publish a new week', async () => await publishAll(log, contentsOf(ids, size.brands, 2)));
    await measure('a refresh, everything new', async () => await gateway.refresh());
    await measure('a request of each workspace', async () => await askAll(gateway, ids));
  } finally {
    gateway.close();
  }
  return rows;
}

function* contentsOf(ids: readonly string[], brands: number, week: number): Generator<SnapshotContent> {
  const all = Array.from({ length: brands }, (_, n) => benchBrand(n));
  const asOf = `2026-11-${String(7 * week).padStart(2, '0')}T06:00:00.000Z`;
  for (const id of ids) {
    const documents = [
      { path: BRANDS_PATH, bytes: encodeDocument('brands', all) },
      ...all.map((brand) => ({
        path: documentPath(brand.id, 'prompts'),
        bytes: Buffer.from(`{"data":"${id} ${brand.id} ${week}"}\n`),
      })),
    ];
    yield { ...benchPublication(id, []), asOf, documents };
  }
}

const AT_ONCE = 64;
const brands = { of: 'document', document: documentAt(BRANDS_PATH), snapshotId: undefined } as const;

async function askAll(gateway: DocumentService, ids: readonly string[]): Promise<void> {
  await pMap(
    ids,
    async (id) => {
      if ((await gateway.find(id, brands)) === null) throw new Error(`${id} has no brands`);
    },
    { concurrency: AT_ONCE },
  );
}

const nothing = () => undefined;
const silent = {
  cacheHit: nothing,
  cacheMiss: nothing,
  snapshotKept: nothing,
  snapshotChanged: nothing,
};

function countReads(store: ObjectStore): { store: ObjectStore; reads(): number } {
  let reads = 0;
  return {
    reads: () => reads,
    store: {
      ...store,
      get: async (key, mostBytes) => {
        reads += 1;
        return await store.get(key, mostBytes);
      },
    },
  };
}
