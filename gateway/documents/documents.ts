import pTimeout from 'p-timeout';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { currentAnswers } from './current.ts';
import { documentCache } from './document-cache.ts';
import { followLog } from './followed-log.ts';
import type { FollowOptions } from './followed-log.ts';
import { histories as historiesOf } from './histories.ts';
import { pastAnswers } from './past.ts';
import type { PastQuestion } from './past.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { repeat } from './repeat.ts';
import { workspaceViews } from './views.ts';
import type { ViewObserver, WorkspaceStatus, WorkspaceView, WorkspaceViews } from './views.ts';

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

/** Responses to one kind of question about a workspace; null if there is no such document. */
export interface Answers<Question> {
  /** From memory; undefined if it must be read. */
  fromMemory(view: WorkspaceView, question: Question): Found | null | undefined;
  /** At most three reads of the store for a document. @throws Failure if an object cannot be read. */
  read(view: WorkspaceView, question: Question): Promise<Found | null>;
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
  const current = currentAnswers(store, cache);
  const past = pastAnswers(store, { log, cache, histories });
  const { prepare } = current;
  const views = workspaceViews(store, { log, histories, observer, prepare, now });
  const stopRefreshing = repeat(() => views.refresh(), options.refreshSeconds * 1000);
  const message = `${store.url} did not answer within ${waitMs} ms`;

  const find = <Question>(
    answers: Answers<Question>,
    workspaceId: string,
    question: Question,
    callback: FoundCallback,
  ): void => {
    const lookUp = (view: WorkspaceView) => {
      const inMemory = answers.fromMemory(view, question);
      if (inMemory) observer.cacheHit();
      return inMemory;
    };
    const view = views.peek(workspaceId);
    const inMemory = view && lookUp(view);
    if (inMemory !== undefined) return callback(null, inMemory);
    const finding = asTheLogSays(views, workspaceId, async (opened) => {
      const loaded = lookUp(opened);
      if (loaded !== undefined) return loaded;
      observer.cacheMiss();
      return await answers.read(opened, question);
    });
    void answer(pTimeout(finding, { milliseconds: waitMs, message }), callback);
  };

  return {
    find: (workspaceId, path, callback) => find(current, workspaceId, path, callback),
    findPast: (workspaceId, question, callback) => find(past, workspaceId, question, callback),
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

async function answer(finding: Promise<Found | null>, callback: FoundCallback): Promise<void> {
  try {
    callback(null, await finding);
  } catch (error) {
    callback(error, null);
  }
}
