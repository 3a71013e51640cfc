import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { documentService } from '../../../gateway/documents/documents.ts';
import type { DocumentService, Found } from '../../../gateway/documents/documents.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';

export const workspaceId = '11111111-1111-4111-8111-111111111111';

export interface Events {
  kept: string[];
  changed: (string | null)[];
  hits: number;
  misses: number;
}

/** A document service over a store in a folder, both new for each test. */
export interface EachDocumentService {
  folder: string;
  store: ObjectStore;
  service: DocumentService;
  /** The keys that were read from the store, in order. */
  reads: string[];
  /** The reports of the service in use. */
  events: Events;
  /** The service's clock, in milliseconds. */
  now: number;
}

/** The returned object is filled when a test begins. */
export function eachDocumentService(): EachDocumentService {
  const each = { now: 0 } as EachDocumentService;
  beforeEach(async () => {
    each.folder = await mkdtemp(join(tmpdir(), 'sightline-documents-'));
    const directory = directoryStore(join(each.folder, 'store'));
    each.reads = [];
    each.store = {
      ...directory,
      get: (key) => {
        each.reads.push(key);
        return directory.get(key);
      },
    };
    await mkdir(join(each.folder, 'store'));
    openService(each);
  });
  afterEach(async () => {
    each.service.close();
    await rm(each.folder, { recursive: true, force: true });
  });
  return each;
}

/** Closes the service in use and opens another one over the same store. */
export function reopenService(each: EachDocumentService, cacheBytes?: number, waitMs?: number): void {
  each.service.close();
  openService(each, cacheBytes, waitMs);
}

function openService(each: EachDocumentService, cacheBytes = 64 * 1024 * 1024, waitMs?: number): void {
  const events: Events = { kept: [], changed: [], hits: 0, misses: 0 };
  each.events = events;
  each.service = documentService(each.store, {
    cacheBytes,
    refreshSeconds: 3600,
    now: () => each.now,
    waitMs,
    observer: {
      cacheHit: () => void (events.hits += 1),
      cacheMiss: () => void (events.misses += 1),
      snapshotKept: (_id, reason) => void events.kept.push(String(reason)),
      snapshotChanged: (_id, snapshotId) => void events.changed.push(snapshotId),
    },
  });
}

export async function findIn(
  service: DocumentService,
  path: string,
  id = workspaceId,
): Promise<Found | null> {
  return await new Promise<Found | null>((resolve, reject) =>
    service.find(id, path, (error, found) => (error === null ? resolve(found) : reject(error))),
  );
}

export function textOf(found: Found | null): string | undefined {
  return found?.document.variants.identity.body.toString('utf8');
}
