import pTimeout from 'p-timeout';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { documentCache } from './document-cache.ts';
import type { CacheObserver, DocumentCache } from './document-cache.ts';
import { DocumentFinder } from './find.ts';
import type { Found, Question } from './find.ts';
import { followLog } from './followed-log.ts';
import type { FollowedLog, FollowOptions } from './followed-log.ts';
import { historyReader } from './histories.ts';
import { workspaceViews } from './views.ts';
import type { ViewObserver, WorkspaceStatus, WorkspaceViews } from './views.ts';

/** `found` is null without an error if there is no such document. */
type FoundCallback = (error: unknown, found: Found | null) => void;

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

/** The documents of all workspaces, from memory or from the store. */
export class DocumentService {
  readonly #cache: DocumentCache;
  readonly #log: FollowedLog;
  readonly #finder: DocumentFinder;
  readonly #views: WorkspaceViews;
  readonly #refreshing: NodeJS.Timeout;
  readonly #limit: { milliseconds: number; message: string };

  constructor(store: ObjectStore, options: DocumentOptions) {
    const { observer, waitMs = DOCUMENT_WAIT_MS, now = () => performance.now() } = options;
    const cache = documentCache(options.cacheBytes, observer);
    const onTrouble = (reason: Error) => observer.snapshotKept(null, reason);
    const log = followLog(store, { ...options, onTrouble });
    const readHistory = historyReader(store);
    const finder = new DocumentFinder(store, { log, cache, readHistory });
    this.#cache = cache;
    this.#log = log;
    this.#finder = finder;
    this.#views = workspaceViews(store, { log, readHistory, observer, finder, now });
    this.#limit = { milliseconds: waitMs, message: `${store.url} did not answer within ${waitMs} ms` };
    this.#refreshing = setInterval(() => void this.refresh(), options.refreshSeconds * 1000).unref();
  }

  /**
   * Calls back synchronously if a current document is in memory. If the callback throws later, it is called again with
   * that error.
   */
  find(workspaceId: string, question: Question, callback: FoundCallback): void {
    if (question.of === 'document' && question.snapshotId === undefined) {
      const view = this.#views.peek(workspaceId);
      const inMemory = view && this.#finder.fromMemory(view, question.document);
      if (inMemory !== undefined) return callback(null, inMemory);
    }
    void this.#answer(workspaceId, question, callback);
  }

  async #answer(workspaceId: string, question: Question, callback: FoundCallback): Promise<void> {
    try {
      callback(null, await pTimeout(this.#read(workspaceId, question), this.#limit));
    } catch (error) {
      callback(error, null);
    }
  }

  /** What cannot be read may have been withdrawn, and deleted, before this gateway looked at the log. */
  async #read(workspaceId: string, question: Question): Promise<Found | null> {
    const view = await this.#views.open(workspaceId);
    try {
      return await this.#finder.find(view, question);
    } catch (error) {
      const newest = await this.#views.renew(view);
      if (newest === undefined || newest === view) throw error;
      return await this.#read(workspaceId, question);
    }
  }

  /** Looks at the log now, without waiting for the timer. */
  async refresh(): Promise<void> {
    await this.#views.refresh();
  }

  /** False until the first good head of the log: nothing can be served. */
  hasHead(): boolean {
    return this.#log.head() !== null;
  }

  /** @throws the reason if the newest head of the log cannot be accepted. */
  demandNewestHead(): void {
    const trouble = this.#log.trouble();
    if (trouble !== null) throw trouble;
  }

  /** For metrics. */
  status(): DocumentStatus {
    const [cachedBytes, cachedDocuments] = [this.#cache.bytes(), this.#cache.documents()];
    return { cachedBytes, cachedDocuments, workspaces: this.#views.status() };
  }

  close(): void {
    clearInterval(this.#refreshing);
  }
}
