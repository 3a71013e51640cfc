import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import pTimeout from 'p-timeout';
import type { ObjectStore } from '../../lib/store/store.ts';
import { pathOf } from '../../snapshots/layout.ts';
import type { DocumentId } from '../../snapshots/layout.ts';
import { asOf, findPublication, hasDocuments, mayBeGone } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import { readDocument } from '../../snapshots/read.ts';
import { prepareDocument } from '../http/prepared-document.ts';
import type { PreparedDocument } from '../http/prepared-document.ts';
import { DOCUMENT_WAIT_MS } from '../time-limits.ts';
import { FollowedLog } from './followed-log.ts';
import type { FollowOptions } from './followed-log.ts';
import { sharedLoads } from './shared-loads.ts';
import { encoded, readDocuments, readView } from './views.ts';
import type { Documents, WorkspaceView } from './views.ts';

/** A document and its snapshot; `snapshotId` and `lastModified` are null if it belongs to no snapshot, or to several. */
export interface Found {
  document: PreparedDocument;
  snapshotId: string | null;
  /** When the snapshot was published, as an HTTP date. */
  lastModified: string | null;
  /** True if this URL always returns the same bytes. */
  isFinal: boolean;
}

/** What a request asks of its workspace: a document of a snapshot, or of the one in service; the list; a proof. */
export type Question =
  | { of: 'document'; document: DocumentId; snapshotId: string | undefined }
  | { of: 'proof'; snapshotId: string }
  | { of: 'list'; snapshotId?: never };

export interface DocumentObserver {
  /** A document was asked for and was in memory, or was not. */
  cacheHit(): void;
  cacheMiss(): void;
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
/** Of past snapshots: some 40 KB each. */
const MANIFESTS_IN_MEMORY = 500;

/** The documents of all workspaces: current ones from memory once they were read, those of past weeks from the store. */
export class DocumentService {
  readonly #store: ObjectStore;
  readonly #observer: DocumentObserver;
  readonly #now: () => number;
  readonly #log: FollowedLog;
  readonly #inUse = new Map<string, InUse>();
  readonly #viewOnce = sharedLoads<WorkspaceView>();
  /** Current documents, by the hash of their content. */
  readonly #cache: LRUCache<string, PreparedDocument>;
  readonly #documentOnce = sharedLoads<PreparedDocument>();
  readonly #pastDocuments: LRUCache<string, Documents, Publication & { workspaceId: string }>;
  readonly #refreshing: NodeJS.Timeout;
  readonly #limit: { milliseconds: number; message: string };

  constructor(store: ObjectStore, options: DocumentOptions) {
    const { observer, waitMs = DOCUMENT_WAIT_MS, now = () => performance.now() } = options;
    const onTrouble = (reason: Error) => observer.snapshotKept(null, reason);
    this.#store = store;
    this.#observer = observer;
    this.#now = now;
    this.#log = new FollowedLog(store, { ...options, onTrouble });
    this.#cache = new LRUCache({ maxSize: options.cacheBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#pastDocuments = new LRUCache({
      max: MANIFESTS_IN_MEMORY,
      ignoreFetchAbort: true, // one that is evicted while it is read is returned too
      fetchMethod: async (_hash, _stale, { context }) =>
        await readDocuments(store, context.workspaceId, context),
    });
    this.#limit = { milliseconds: waitMs, message: `${store.url} did not answer within ${waitMs} ms` };
    this.#refreshing = setInterval(() => void this.refresh(), options.refreshSeconds * 1000).unref();
  }

  /** Null if there is no such document. @throws Failure if the store does not respond in time, or it cannot be read */
  async find(workspaceId: string, question: Question): Promise<Found | null> {
    const inUse = this.#inUse.get(workspaceId);
    if (inUse !== undefined) {
      inUse.usedAt = this.#now();
      const { view } = inUse;
      const hash =
        question.of === 'document' && question.snapshotId === undefined
          ? view.documents.get(pathOf(question.document))
          : undefined;
      const document = hash && this.#cache.get(hash);
      if (document) {
        this.#observer.cacheHit();
        return inService(view, document);
      }
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
      cachedBytes: this.#cache.calculatedSize,
      cachedDocuments: this.#cache.size,
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
      return await this.#answer(view, question);
    } catch (error) {
      await this.#log.look();
      const newest = await this.#renew(workspaceId).catch(() => view);
      if (newest === undefined || newest === view) throw error;
      return await this.#answer(newest, question);
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

  async #answer(view: WorkspaceView, question: Question): Promise<Found | null> {
    if (question.of === 'list') return made(await view.list(), null);
    if (question.snapshotId === undefined) return await this.#current(view, question.document);
    // Clients must not see whether an id is malformed, unknown, of another workspace, or gone.
    const past = findPublication(view.history, question.snapshotId);
    if (past === undefined) return null;
    if (question.of === 'document')
      return hasDocuments(past) ? await this.#past(view, past, question.document) : null;
    return mayBeGone(past.withdrawn?.reason) ? null : await this.#proof(view, past);
  }

  async #current(view: WorkspaceView, id: DocumentId): Promise<Found | null> {
    const { workspaceId, current } = view;
    if (current === null) return id.name === 'brands' ? inService(view, await encoded([])) : null;
    const path = pathOf(id);
    const hash = view.documents.get(path);
    if (hash === undefined) return null;
    const document = await this.#fromMemoryOr(hash, async () => {
      const read = await this.#load(workspaceId, current, path, hash);
      this.#cache.set(hash, read);
      return read;
    });
    return inService(view, document);
  }

  /** Not kept in memory: its response never changes, so each client asks once. */
  async #past({ workspaceId }: WorkspaceView, past: Publication, id: DocumentId): Promise<Found | null> {
    const context = { ...past, workspaceId };
    const path = pathOf(id);
    const hash = (await this.#pastDocuments.forceFetch(past.manifestSha256, { context })).get(path);
    if (hash === undefined) return null;
    const load = async () => await this.#load(workspaceId, past, path, hash);
    const document = await this.#fromMemoryOr(hash, load);
    const lastModified = new Date(past.publishedAt).toUTCString();
    return { document, snapshotId: past.snapshotId, lastModified, isFinal: true };
  }

  /** A current document may be in memory from another workspace, or be asked for as one of a past week. */
  async #fromMemoryOr(hash: string, load: () => Promise<PreparedDocument>): Promise<PreparedDocument> {
    const inMemory = this.#cache.get(hash);
    if (inMemory === undefined) this.#observer.cacheMiss();
    else this.#observer.cacheHit();
    return inMemory ?? (await load());
  }

  /** Reads it once for all that wait for it. */
  async #load(workspaceId: string, { snapshotId }: Publication, path: string, hash: string) {
    return await this.#documentOnce(hash, async () => {
      const body = await readDocument(this.#store, { workspaceId, snapshotId }, { path, sha256: hash });
      return await prepareDocument(body, hash);
    });
  }

  /** A proof leads to the head in service. */
  async #proof({ workspaceId }: WorkspaceView, past: Publication): Promise<Found> {
    const { checkpoint } = await this.#log.open();
    return made(await encoded(await proveSnapshot(this.#store, checkpoint, workspaceId, past)), past);
  }
}

function statusOf({ view, trouble }: InUse, isLogKept: boolean): WorkspaceStatus {
  const { workspaceId, current } = view;
  const state = isLogKept || trouble !== '' ? 'kept' : current === null ? 'none' : 'current';
  return { workspaceId, state, asOf: current && Date.parse(asOf(current)) };
}

function inService({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current?.snapshotId ?? null, lastModified, isFinal: false };
}

/** A response that was made for the head in service, and may be another one later. */
function made(document: PreparedDocument, past: Publication | null): Found {
  return { document, snapshotId: past?.snapshotId ?? null, lastModified: null, isFinal: false };
}
