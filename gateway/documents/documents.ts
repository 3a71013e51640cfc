import pMap from 'p-map';
import pTimeout from 'p-timeout';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { readDocument } from '../../snapshots/read.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { documentCache } from './document-cache.ts';
import type { DocumentCache } from './document-cache.ts';
import type { DocumentEntry } from './document-index.ts';
import { followLog } from './followed-log.ts';
import type { FollowOptions } from './followed-log.ts';
import { histories as historiesOf } from './histories.ts';
import { pastAnswers } from './past.ts';
import type { PastQuestion } from './past.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { repeat } from './repeat.ts';
import { workspaceViews } from './views.ts';
import type { ViewObserver, WorkspaceStatus, WorkspaceView } from './views.ts';

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
  /** Looks at the log now, without waiting for the timer. */
  refresh(): Promise<void>;
  /** False until the first good head of the log: nothing can be served. */
  hasHead(): boolean;
  /** @throws the reason if the newest head of the log cannot be accepted. */
  demandNewestHead(): void;
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

export interface DocumentOptions extends Omit<FollowOptions, 'onTrouble'> {
  cacheBytes: number;
  /** How often the checkpoint of the log is read. */
  refreshSeconds: number;
  observer: DocumentObserver;
  /** How long a request waits for the store, in milliseconds. */
  waitMs?: number | undefined;
  /** A clock in milliseconds, for the age of views; only differences matter. */
  now?: (() => number) | undefined;
}

export function documentService(store: ObjectStore, options: DocumentOptions): DocumentService {
  const { observer, waitMs = DOCUMENT_WAIT_MS, now = () => performance.now() } = options;
  const cache = documentCache(options.cacheBytes);
  const onTrouble = (reason: Error) => observer.snapshotKept(null, reason);
  const log = followLog(store, { ...options, onTrouble });
  const histories = historiesOf(store);
  const prepare = async (newer: WorkspaceView, current: WorkspaceView) =>
    await loadThoseInUse(store, cache, newer, current);
  const views = workspaceViews(store, { log, histories, observer, prepare, now });
  const answers = pastAnswers(store, { log, cache, histories });
  const noBrands = once(prepareNoBrands);

  const findCurrent = async (view: WorkspaceView, path: string): Promise<Found | null> => {
    const inMemory = lookUp(cache, view, path);
    if (inMemory !== null) {
      observer.cacheHit();
      return inMemory;
    }
    if (view.current === null && path === BRANDS_PATH)
      return { document: await noBrands(), snapshotId: null, lastModified: null, isFinal: false };
    const entry = view.documents.get(path);
    if (entry === undefined) return null;
    observer.cacheMiss();
    return foundIn(view, await load(store, cache, view, entry));
  };

  const findPast = async (view: WorkspaceView, question: PastQuestion): Promise<Found | null> => {
    const inMemory = answers.fromMemory(view, question);
    if (inMemory !== undefined) return inMemory;
    observer.cacheMiss();
    return await answers.read(view, question);
  };

  /** What cannot be read may have been withdrawn, and deleted, before this gateway looked at the log. */
  const asTheLogSays = async (
    workspaceId: string,
    find: (view: WorkspaceView) => Promise<Found | null>,
  ): Promise<Found | null> => {
    const view = await views.open(workspaceId);
    try {
      return await find(view);
    } catch (error) {
      const newest = await views.renew(view);
      if (newest === undefined || newest === view) throw error;
      return await asTheLogSays(workspaceId, find);
    }
  };

  const message = `${store.url} did not answer within ${waitMs} ms`;
  const answerLater = (finding: Promise<Found | null>, callback: FoundCallback) =>
    void answer(pTimeout(finding, { milliseconds: waitMs, message }), callback);
  const stopRefreshing = repeat(() => views.refresh(), options.refreshSeconds * 1000);

  return {
    find(workspaceId, path, callback) {
      const view = views.peek(workspaceId);
      const inMemory = lookUp(cache, view, path);
      if (inMemory !== null) {
        observer.cacheHit();
        return callback(null, inMemory);
      }
      if (view?.current && view.documents.get(path) === undefined) return callback(null, null);
      answerLater(
        asTheLogSays(workspaceId, async (opened) => await findCurrent(opened, path)),
        callback,
      );
    },
    findPast(workspaceId, question, callback) {
      const view = views.peek(workspaceId);
      const inMemory = view && answers.fromMemory(view, question);
      if (inMemory) observer.cacheHit();
      if (inMemory !== undefined) return callback(null, inMemory);
      answerLater(
        asTheLogSays(workspaceId, async (opened) => await findPast(opened, question)),
        callback,
      );
    },
    refresh: async () => await views.refresh(),
    hasHead: () => log.head() !== null,
    demandNewestHead() {
      const trouble = log.trouble();
      if (trouble !== null) throw trouble;
    },
    status: () => ({
      cachedBytes: cache.bytes(),
      cachedDocuments: cache.documents(),
      workspaces: views.status(),
    }),
    close: stopRefreshing,
  };
}

const DOCUMENTS_AT_ONCE = 4;

/** Loads the documents of a newer view whose predecessors are in memory; the others are loaded when they are requested. */
async function loadThoseInUse(
  store: ObjectStore,
  cache: DocumentCache,
  newer: WorkspaceView,
  current: WorkspaceView,
): Promise<void> {
  const inUse = [...newer.documents.entries()].filter(({ path }) => {
    const before = current.documents.get(path);
    return before !== undefined && cache.has(before.sha256);
  });
  await pMap(inUse, async (entry) => await load(store, cache, newer, entry), {
    concurrency: DOCUMENTS_AT_ONCE,
  });
}

async function load(
  store: ObjectStore,
  cache: DocumentCache,
  { workspaceId, current }: WorkspaceView,
  entry: DocumentEntry,
): Promise<PreparedDocument> {
  const named = { workspaceId, snapshotId: current!.snapshotId };
  return await cache.load(entry.sha256, 'current', async () => await readDocument(store, named, entry));
}

function lookUp(cache: DocumentCache, view: WorkspaceView | undefined, path: string): Found | null {
  const entry = view?.documents.get(path);
  const document = entry && cache.get(entry.sha256, 'current');
  return document === undefined ? null : foundIn(view!, document);
}

async function answer(finding: Promise<Found | null>, callback: FoundCallback): Promise<void> {
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

function foundIn({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current!.snapshotId, lastModified, isFinal: false };
}
