import pMap from 'p-map';
import pTimeout from 'p-timeout';
import type { ObjectStore } from '../../lib/store/store.ts';
import { asOf } from '../../snapshots/log/history.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { FollowedLog } from './followed-log.ts';
import type { FollowOptions } from './followed-log.ts';
import { DocumentReader } from './reader.ts';
import type { CacheObserver, Found, Question } from './reader.ts';
import { sharedLoads } from './shared-loads.ts';
import { readView } from './views.ts';
import type { WorkspaceView } from './views.ts';

export interface DocumentObserver extends CacheObserver {
  /**
   * A newer state cannot be read, and the last good one stays in service. Called once per reason.
   * @param workspaceId null: of all workspaces, because the head of the log cannot be accepted
   */
  snapshotKept(workspaceId: string | null, reason: unknown): void;
  /** Another snapshot went into service; null: none, all were withdrawn. */
  snapshotChanged(workspaceId: string, snapshotId: string | null): void;
}

export interface WorkspaceStatus {
  workspaceId: string;
  /** `current`: as the log says. `kept`: the last good state, because a newer one cannot be read. `none`: no snapshot. */
  state: 'current' | 'kept' | 'none';
  /** Milliseconds since the Unix epoch; null without a snapshot. */
  asOf: number | null;
}

export interface DocumentStatus {
  cachedBytes: number;
  cachedDocuments: number;
  workspaces: WorkspaceStatus[];
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

interface InUse {
  view: WorkspaceView;
  /** When a request last used it. */
  usedAt: number;
  /** Why the view is not the newest one; '' if it is. */
  trouble: string;
}

/** A workspace without requests for this long is forgotten; its next request reads history and manifest. */
const IDLE_MS = 10 * 60_000;
const VIEWS_AT_ONCE = 64;

/** The documents of all workspaces: current ones from memory once they were read, those of past weeks from the store. */
export class DocumentService {
  readonly #store: ObjectStore;
  readonly #reader: DocumentReader;
  readonly #observer: DocumentObserver;
  readonly #now: () => number;
  readonly #log: FollowedLog;
  readonly #inUse = new Map<string, InUse>();
  readonly #viewOnce = sharedLoads<WorkspaceView>();
  readonly #refreshing: NodeJS.Timeout;
  readonly #limit: { milliseconds: number; message: string };

  constructor(store: ObjectStore, options: DocumentOptions) {
    const { observer, waitMs = DOCUMENT_WAIT_MS, now = () => performance.now() } = options;
    const onTrouble = (reason: Error) => observer.snapshotKept(null, reason);
    this.#store = store;
    this.#observer = observer;
    this.#now = now;
    this.#log = new FollowedLog(store, { ...options, onTrouble });
    this.#reader = new DocumentReader(store, { log: this.#log, cacheBytes: options.cacheBytes, observer });
    this.#limit = { milliseconds: waitMs, message: `${store.url} did not answer within ${waitMs} ms` };
    this.#refreshing = setInterval(() => void this.refresh(), options.refreshSeconds * 1000).unref();
  }

  /** Null if there is no such document. @throws Failure if the store does not respond in time, or it cannot be read */
  async find(workspaceId: string, question: Question): Promise<Found | null> {
    const inUse = this.#inUse.get(workspaceId);
    if (inUse !== undefined) {
      inUse.usedAt = this.#now();
      const found = this.#reader.fromMemory(inUse.view, question);
      if (found !== undefined) return found;
    }
    return await pTimeout(this.#read(workspaceId, question), this.#limit);
  }

  /** Looks at the log, and renews the views that it says something new of. Never throws. */
  async refresh(): Promise<void> {
    this.#forgetIdle();
    await this.#log.look();
    const renew = async (workspaceId: string) => await this.#renew(workspaceId).catch(() => undefined);
    await pMap([...this.#inUse.keys()], renew, { concurrency: VIEWS_AT_ONCE });
  }

  /** False until the first good head of the log: nothing can be served. */
  hasHead(): boolean {
    return this.#log.head !== null;
  }

  /** Why the newest head of the log cannot be accepted; null if it is in service, or nothing was published. */
  trouble(): Error | null {
    return this.#log.trouble;
  }

  /** For metrics. */
  status(): DocumentStatus {
    const isLogKept = this.#log.trouble !== null;
    return {
      ...this.#reader.size(),
      workspaces: [...this.#inUse.values()].map((inUse) => statusOf(inUse, isLogKept)),
    };
  }

  close(): void {
    clearInterval(this.#refreshing);
  }

  /** A view whose successor cannot be read stays: the gateway could not load it again. */
  #forgetIdle(): void {
    const before = this.#now() - IDLE_MS;
    for (const [id, { usedAt, trouble }] of this.#inUse)
      if (usedAt < before && trouble === '') this.#inUse.delete(id);
  }

  /** What cannot be read may have been withdrawn, and deleted, before this gateway looked at the log. */
  async #read(workspaceId: string, question: Question): Promise<Found | null> {
    await this.#log.open();
    let view: WorkspaceView | undefined;
    try {
      view = this.#inUse.get(workspaceId)?.view ?? (await this.#renew(workspaceId));
      return await this.#reader.answer(view, question);
    } catch (error) {
      await this.#log.look();
      const newest = await this.#renew(workspaceId).catch(() => view);
      if (newest === undefined || newest === view) throw error;
      return await this.#reader.answer(newest, question);
    }
  }

  /** Brings the view of a workspace up to the head of the log. @throws Failure if it cannot be read */
  async #renew(workspaceId: string): Promise<WorkspaceView> {
    const newestOf = () => this.#log.head?.heads.get(workspaceId) ?? null;
    const known = this.#inUse.get(workspaceId);
    const newest = newestOf();
    if (known?.view.historySha256 === newest) return known.view;
    const load = async () => await readView(this.#store, workspaceId, newest);
    try {
      const view = await this.#viewOnce(`${workspaceId} ${newest}`, load);
      // The log may have been looked at meanwhile: an older view must never replace a newer one.
      if (newestOf() !== newest) return await this.#renew(workspaceId);
      this.#putIntoService(view);
      return view;
    } catch (error) {
      if (known !== undefined && known.trouble !== String(error)) {
        known.trouble = String(error);
        this.#observer.snapshotKept(workspaceId, error);
      }
      throw error;
    }
  }

  #putIntoService(view: WorkspaceView): void {
    const { workspaceId, current } = view;
    const before = this.#inUse.get(workspaceId);
    this.#inUse.set(workspaceId, { view, usedAt: before?.usedAt ?? this.#now(), trouble: '' });
    if (before !== undefined && before.view.current?.snapshotId !== current?.snapshotId)
      this.#observer.snapshotChanged(workspaceId, current?.snapshotId ?? null);
  }
}

function statusOf({ view, trouble }: InUse, isLogKept: boolean): WorkspaceStatus {
  const { workspaceId, current } = view;
  const state = isLogKept || trouble !== '' ? 'kept' : current === null ? 'none' : 'current';
  return { workspaceId, state, asOf: current && Date.parse(asOf(current)) };
}
