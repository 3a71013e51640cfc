import pTimeout from 'p-timeout';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { documentCache } from './document-cache.ts';
import type { CacheObserver } from './document-cache.ts';
import { DocumentFinder } from './find.ts';
import type { Question } from './find.ts';
import { followLog } from './followed-log.ts';
import type { FollowOptions } from './followed-log.ts';
import { historyReader } from './histories.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { workspaceViews } from './views.ts';
import type { ViewObserver, ViewParts, WorkspaceStatus, WorkspaceView, WorkspaceViews } from './views.ts';

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

/** `found` is null without an error if there is no such document. */
export type FoundCallback = (error: unknown, found: Found | null) => void;

/** The documents of all workspaces, from memory or from the store. */
export interface DocumentService {
  /** Calls back synchronously if a current document is in memory. If the callback throws later, it is called again with that error. */
  find(workspaceId: string, question: Question, callback: FoundCallback): void;
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

export type DocumentObserver = ViewObserver & CacheObserver;

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
  const cache = documentCache(options.cacheBytes, observer);
  const onTrouble = (reason: Error) => observer.snapshotKept(null, reason);
  const log = followLog(store, { ...options, onTrouble });
  const readHistory = historyReader(store);
  const finder = new DocumentFinder(store, { log, cache, readHistory });
  const prepare: ViewParts['prepare'] = async (newer, current) => await finder.prepare(newer, current);
  const views = workspaceViews(store, { log, readHistory, observer, prepare, now });
  const stopRefreshing = repeat(() => views.refresh(), options.refreshSeconds * 1000);
  const message = `${store.url} did not answer within ${waitMs} ms`;

  /** Passes the result, or the reason why there is none in time, to the callback. */
  const read = async (workspaceId: string, question: Question, callback: FoundCallback): Promise<void> => {
    try {
      const finding = asTheLogSays(views, workspaceId, async (view) => await finder.find(view, question));
      callback(null, await pTimeout(finding, { milliseconds: waitMs, message }));
    } catch (error) {
      callback(error, null);
    }
  };

  return {
    find(workspaceId, question, callback) {
      const isCurrent = question.of === 'document' && question.snapshotId === undefined;
      const view = isCurrent ? views.peek(workspaceId) : undefined;
      const inMemory = isCurrent && view ? finder.fromMemory(view, question.path) : undefined;
      if (inMemory !== undefined) callback(null, inMemory);
      else void read(workspaceId, question, callback);
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

/** What cannot be read may have been withdrawn, and deleted, before this gateway looked at the log. */
async function asTheLogSays(
  views: WorkspaceViews,
  workspaceId: string,
  find: (view: WorkspaceView) => Promise<Found | null>,
): Promise<Found | null> {
  const view = await views.open(workspaceId);
  try {
    return await find(view);
  } catch (error) {
    const newest = await views.renew(view);
    if (newest === undefined || newest === view) throw error;
    return await asTheLogSays(views, workspaceId, find);
  }
}

/** Repeats `work`, with a pause after each run. @returns a function that ends it */
function repeat(work: () => Promise<void>, pauseMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(() => void work().finally(() => timer !== undefined && schedule()), pauseMs);
    timer.unref();
  };
  schedule();
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
