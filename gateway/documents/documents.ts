import pTimeout from 'p-timeout';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { isPruned } from '../../snapshots/audit/show.ts';
import { readDocument } from '../../snapshots/read.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { documentCache } from './document-cache.ts';
import type { DocumentCache } from './document-cache.ts';
import { pastAnswers } from './history.ts';
import type { PastQuestion } from './history.ts';
import { histories } from './past-snapshots.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { repeat } from './repeat.ts';
import { snapshotViews } from './views.ts';
import type { SnapshotViews, ViewObserver, WorkspaceStatus } from './views.ts';

/**
 * A document and its snapshot. `snapshotId` and `lastModified` are null if it belongs to no snapshot, or to several.
 */
export interface Found {
  document: PreparedDocument;
  snapshotId: string | null;
  /** When the snapshot was published, as an HTTP date. */
  lastModified: string | null;
  /** True if this URL always returns the same bytes. */
  isFinal: boolean;
}

/** `found` is null without an error if there is no such document. Called synchronously if everything is in memory. */
export type FoundCallback = (error: unknown, found: Found | null) => void;

/** The documents of all workspaces, from memory or from the store. */
export interface DocumentService {
  /** If the callback throws, it is called again with that error. */
  find(workspaceId: string, path: string, callback: FoundCallback): void;
  /** As `find`, for the history of the workspace. */
  findPast(workspaceId: string, question: PastQuestion, callback: FoundCallback): void;
  /** Looks for newer snapshots of the workspaces in use now, without waiting for the timer. */
  refresh(): Promise<void>;
  /** For metrics. */
  status(): DocumentStatus;
  close(): void;
}

export interface DocumentStatus {
  cachedBytes: number;
  cachedDocuments: number;
  workspaces: WorkspaceStatus[];
}

export interface DocumentObserver extends ViewObserver {
  cacheHit(): void;
  cacheMiss(): void;
}

export interface DocumentOptions {
  cacheBytes: number;
  /** How often the pointers of workspaces in use are read again, in milliseconds. */
  refreshSeconds: number;
  observer: DocumentObserver;
  /** Every snapshot must be signed with one of these keys; if absent, signatures are not checked. */
  trust?: Trust | undefined;
  /** How long a request waits for the store, in milliseconds. */
  waitMs?: number | undefined;
  /** A clock in milliseconds, for the age of views; only differences matter. */
  now?: (() => number) | undefined;
}

/** A pruned snapshot returns 404 after at most this time. */
const RENEW_HISTORIES_MS = 60_000;

export function documentService(store: ObjectStore, options: DocumentOptions): DocumentService {
  const { observer, waitMs = DOCUMENT_WAIT_MS } = options;
  const cache = documentCache(options.cacheBytes);

  const prepare = (newer: SnapshotView, current: SnapshotView) => loadNewer(store, cache, newer, current);
  const { trust = null, now = () => performance.now() } = options;
  const views = snapshotViews(store, { ...options, trust, now, prepare });
  const past = histories(store, now);
  const answers = pastAnswers(store, { cache, histories: past, trust });
  const stopRenewing = repeat(() => past.refresh(), RENEW_HISTORIES_MS);

  const current = currentDocuments({ store, cache, views, observer });

  const findPastInStore = async (workspaceId: string, question: PastQuestion): Promise<Found | null> => {
    const history = await past.open(await views.open(workspaceId));
    const inMemory = answers.fromMemory(history, question);
    if (inMemory !== undefined) return inMemory;
    observer.cacheMiss();
    return await answers.read(history, question);
  };

  const message = `${store.url} did not answer within ${waitMs} ms`;
  const within = (finding: Promise<Found | null>) => pTimeout(finding, { milliseconds: waitMs, message });

  return {
    find(workspaceId, path, callback) {
      const view = views.peek(workspaceId);
      const inMemory = lookUp(cache, view, path);
      if (inMemory !== null) {
        observer.cacheHit();
        return callback(null, inMemory);
      }
      if (view?.pointer && view.documents.get(path) === undefined) return callback(null, null);
      void answerLater(within(current(workspaceId, path)), callback);
    },
    findPast(workspaceId, question, callback) {
      const view = views.peek(workspaceId);
      const history = view && past.peek(view);
      const inMemory = history && answers.fromMemory(history, question);
      if (inMemory) observer.cacheHit();
      if (inMemory !== undefined) return callback(null, inMemory);
      void answerLater(within(findPastInStore(workspaceId, question)), callback);
    },
    async refresh() {
      await views.refresh();
      await past.refresh();
    },
    status: () => ({
      cachedBytes: cache.bytes(),
      cachedDocuments: cache.documents(),
      workspaces: views.status(),
    }),
    close() {
      stopRenewing();
      views.close();
    },
  };
}

interface CurrentParts {
  store: ObjectStore;
  cache: DocumentCache;
  views: SnapshotViews;
  observer: DocumentObserver;
}

/** Finds a document of the snapshot in service, from memory or from the store. */
function currentDocuments({ store, cache, views, observer }: CurrentParts) {
  const noBrands = once(prepareNoBrands);
  const readFrom = async (view: SnapshotView, path: string): Promise<Found | null> => {
    if (view.pointer === null) {
      return path === BRANDS_PATH
        ? { document: await noBrands(), snapshotId: null, lastModified: null, isFinal: false }
        : null;
    }
    const entry = view.documents.get(path);
    if (entry === undefined) return null;
    observer.cacheMiss();
    const read = () => readDocument(store, manifestOf(view), entry);
    return foundIn(view, await cache.load(entry.sha256, 'current', read));
  };
  return async function find(workspaceId: string, path: string): Promise<Found | null> {
    const view = await views.open(workspaceId);
    const inMemory = lookUp(cache, view, path);
    if (inMemory !== null) {
      observer.cacheHit();
      return inMemory;
    }
    try {
      return await readFrom(view, path);
    } catch (error) {
      // The snapshot may have been replaced, and pruned before this gateway looked for a newer one.
      const isGone = view.pointer !== null && (await isPruned(store, manifestOf(view)).catch(() => false));
      const newest = isGone ? await views.renew(view) : views.peek(workspaceId);
      if (newest === view) throw error;
      return await find(workspaceId, path);
    }
  };
}

/** Reads every document of a newer view, and caches those whose predecessors are cached. */
async function loadNewer(
  store: ObjectStore,
  cache: DocumentCache,
  newer: SnapshotView,
  current: SnapshotView,
): Promise<void> {
  for (const entry of newer.documents.entries()) {
    const before = current.documents.get(entry.path);
    const isWanted = before !== undefined && cache.has(before.sha256);
    const read = () => readDocument(store, manifestOf(newer), entry);
    await (isWanted ? cache.load(entry.sha256, 'current', read) : read());
  }
}

function lookUp(cache: DocumentCache, view: SnapshotView | undefined, path: string): Found | null {
  const entry = view?.documents.get(path);
  const document = entry && cache.get(entry.sha256, 'current');
  return document === undefined ? null : foundIn(view!, document);
}

async function answerLater(finding: Promise<Found | null>, callback: FoundCallback): Promise<void> {
  try {
    callback(null, await finding);
  } catch (error) {
    callback(error, null);
  }
}

/** Imports the document schemas only if needed: most gateways never need them, and they take 8 MB (see openApiText). */
async function prepareNoBrands(): Promise<PreparedDocument> {
  const { encodeDocument } = await import('../../lib/documents/encode.ts');
  const body = encodeDocument('brands', []);
  return await prepareDocument(body, sha256(body));
}

function foundIn({ pointer, lastModified }: SnapshotView, document: PreparedDocument): Found {
  return { document, snapshotId: pointer!.snapshotId, lastModified, isFinal: false };
}

function manifestOf(view: SnapshotView): { workspaceId: string; snapshotId: string } {
  return { workspaceId: view.workspaceId, snapshotId: view.pointer!.snapshotId };
}
