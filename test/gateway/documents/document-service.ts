import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { DocumentService } from '../../../gateway/documents/documents.ts';
import type { DocumentOptions } from '../../../gateway/documents/documents.ts';
import type { Found } from '../../../gateway/documents/reader.ts';
import { countingReads } from '../../../gateway/observe/store-reads.ts';
import type { StoreObject } from '../../../gateway/observe/store-reads.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import { documentAt } from '../../../snapshots/layout.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { memoryStore } from '../../support/memory-store.ts';
import type { Objects } from '../../support/memory-store.ts';

export const workspaceId = '11111111-1111-4111-8111-111111111111';

/** A document service over a store in memory, both new for each test. */
export interface EachDocumentService {
  /** Its store and lake are in memory. */
  log: TestLog;
  /** Of the store, by key; a test may alter, keep and put them back. */
  objects: Objects;
  /** Of the lake. */
  lakeObjects: Objects;
  /** The records that gateways share. */
  records: Records;
  service: DocumentService;
  /** What was read from the store, in order. */
  reads: StoreObject[];
  /** The reports of the service in use. */
  events: { kept: string[]; changed: (string | null)[]; hits: number; misses: number };
  /** The service's clock, in milliseconds. */
  now: number;
}

/** The returned object is filled when a test begins. */
export function eachDocumentService(): EachDocumentService {
  const each = { now: 0 } as EachDocumentService;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    each.objects = new Map();
    each.lakeObjects = new Map();
    const [store, lake] = [memoryStore(each.objects), memoryStore(each.lakeObjects, 'the lake')];
    each.log = { ...(await testLog(folder)), store, lake };
    each.records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
    reopenService(each);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    each.service.close();
    await each.records.close();
  });
  return each;
}

/** Closes the service in use, if there is one, and opens another one, over the same store and the same records. */
export function reopenService(each: EachDocumentService, options: Partial<DocumentOptions> = {}): void {
  each.service?.close();
  const events: EachDocumentService['events'] = { kept: [], changed: [], hits: 0, misses: 0 };
  each.events = events;
  each.reads = [];
  const store = countingReads(each.log.store, (object) => void each.reads.push(object));
  each.service = new DocumentService(store, {
    origin: each.log.origin,
    trust: async () => each.log.trust,
    memory: each.records,
    cacheBytes: 64 * 1024 * 1024,
    refreshSeconds: 3600,
    now: () => each.now,
    ...options,
    observer: {
      cacheHit: () => void (events.hits += 1),
      cacheMiss: () => void (events.misses += 1),
      snapshotKept: (_id, reason) => void events.kept.push(String(reason)),
      snapshotChanged: (_id, snapshotId) => void events.changed.push(snapshotId),
    },
  });
}

/** A document of a snapshot, or a current one. */
export async function findIn(
  { service }: EachDocumentService,
  path: string,
  { id = workspaceId, snapshotId }: { id?: string; snapshotId?: string } = {},
): Promise<Found | null> {
  return await service.find(id, { of: 'document', document: documentAt(path), snapshotId });
}

export function textOf(answer: Found | null): string | undefined {
  return answer?.document.variants.identity.body.toString('utf8');
}

/** The store as it is now, to be put back later with {@link putBack}. */
export function copyOf({ objects }: EachDocumentService): Objects {
  return new Map(objects);
}

/** Replaces the whole store by an older state of it. */
export function putBack({ objects }: EachDocumentService, older: Objects): void {
  objects.clear();
  for (const [key, bytes] of older) objects.set(key, bytes);
}
