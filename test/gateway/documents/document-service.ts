import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { DocumentService } from '../../../gateway/documents/documents.ts';
import type { Found } from '../../../gateway/documents/reader.ts';
import type { FollowOptions } from '../../../gateway/documents/followed-log.ts';
import { countingReads } from '../../../gateway/observe/store-reads.ts';
import type { StoreObject } from '../../../gateway/observe/store-reads.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { WithdrawalReason } from '../../../snapshots/log/entries.ts';
import { documentAt } from '../../../snapshots/layout.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import type { Trust } from '../../../snapshots/signing.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { memoryStore } from '../../support/memory-store.ts';
import type { Objects } from '../../support/memory-store.ts';

export const workspaceId = '11111111-1111-4111-8111-111111111111';

export interface Events {
  kept: string[];
  changed: (string | null)[];
  hits: number;
  misses: number;
}

/** A document service over a store in memory, both new for each test. */
export interface EachDocumentService {
  /** Its store and lake are in memory. */
  log: TestLog;
  /** Of the store, by key; a test may alter, keep and put them back. */
  objects: Objects;
  /** Of the lake. */
  lakeObjects: Objects;
  /** What a gateway reads from when it is opened. */
  store: ObjectStore;
  /** Runs before each read of the store; it may fail or wait. */
  beforeRead: () => Promise<void>;
  /** As `beforeRead`, for the memory in the records. */
  beforeRecords: () => Promise<void>;
  /** The records that gateways share, here in memory. */
  records: Records;
  service: DocumentService;
  /** What was read from the store, in order. */
  reads: StoreObject[];
  /** The reports of the service in use. */
  events: Events;
  /** The service's clock, in milliseconds. */
  now: number;
}

const nothing = () => Promise.resolve();

/** The returned object is filled when a test begins. */
export function eachDocumentService(): EachDocumentService {
  const each = { now: 0 } as EachDocumentService;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    each.objects = new Map();
    each.lakeObjects = new Map();
    const [store, lake] = [memoryStore(each.objects, 'memory'), memoryStore(each.lakeObjects, 'the lake')];
    each.log = { ...(await testLog(folder)), store, lake };
    each.store = store;
    each.beforeRead = nothing;
    each.beforeRecords = nothing;
    each.records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
    reopenService(each);
  });
  afterEach(async () => {
    each.service.close();
    await each.records.close();
  });
  return each;
}

export interface Reopened {
  refreshSeconds?: number;
  cacheBytes?: number;
  waitMs?: number;
  trust?: () => Promise<Trust | undefined>;
}

/** Closes the service in use, if there is one, and opens another one, over the same store and the same records. */
export function reopenService(each: EachDocumentService, options: Reopened = {}): void {
  each.service?.close();
  const events: Events = { kept: [], changed: [], hits: 0, misses: 0 };
  each.events = events;
  each.reads = [];
  const { store, records } = each;
  const reading: ObjectStore = {
    ...store,
    async get(key, mostBytes) {
      await each.beforeRead();
      return await store.get(key, mostBytes);
    },
  };
  const memory: FollowOptions['memory'] = {
    readCheckpoint: async (origin) => {
      await each.beforeRecords();
      return await records.readCheckpoint(origin);
    },
    keepCheckpoint: async (...kept) => {
      await each.beforeRecords();
      await records.keepCheckpoint(...kept);
    },
  };
  each.service = new DocumentService(
    countingReads(reading, (object) => void each.reads.push(object)),
    {
      origin: each.log.origin,
      trust: async () => each.log.trust,
      memory,
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
    },
  );
}

/** A current document. */
export async function findIn(
  service: DocumentService,
  path: string,
  id = workspaceId,
): Promise<Found | null> {
  return await service.find(id, { of: 'document', document: documentAt(path), snapshotId: undefined });
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

/** Only the log's entry; the caller deletes what the reason allows. */
export async function withdraw(
  log: TestLog,
  id: string,
  snapshotId: string,
  reason: WithdrawalReason,
): Promise<void> {
  const draft = { kind: 'withdrawn', workspaceId: id, snapshotId, reason } as const;
  await commitToLog(log, async () => ({ drafts: [draft] }));
}

/** The kinds of objects that `work` reads, with their numbers. */
export async function readsOf(
  each: EachDocumentService,
  work: () => Promise<unknown>,
): Promise<Partial<Record<StoreObject, number>>> {
  each.reads = [];
  await work();
  const counts: Partial<Record<StoreObject, number>> = {};
  for (const object of each.reads) counts[object] = (counts[object] ?? 0) + 1;
  return counts;
}
