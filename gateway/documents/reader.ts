import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../lib/store/store.ts';
import { emptyTable } from '../../lib/tables/encode.ts';
import { pathOf } from '../../snapshots/layout.ts';
import type { DocumentId } from '../../snapshots/layout.ts';
import { findPublication, hasDocuments, mayBeGone } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import { readDocument } from '../../snapshots/read.ts';
import { prepareDocument } from '../http/prepared-document.ts';
import type { PreparedDocument } from '../http/prepared-document.ts';
import type { FollowedLog } from './followed-log.ts';
import { sharedLoads } from './shared-loads.ts';
import { encoded, readDocuments } from './views.ts';
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

/** A document was asked for and was in memory, or was not. */
export interface CacheObserver {
  cacheHit(): void;
  cacheMiss(): void;
}

/** Of past snapshots: some 40 KB each. */
const MANIFESTS_IN_MEMORY = 500;

/** Answers what is asked of a workspace, as a view of it says: from memory, or else from the store. */
export class DocumentReader {
  readonly #store: ObjectStore;
  readonly #log: FollowedLog;
  readonly #observer: CacheObserver;
  /** Current documents, by the hash of their content. */
  readonly #cache: LRUCache<string, PreparedDocument>;
  readonly #documentOnce = sharedLoads<PreparedDocument>();
  readonly #pastDocuments: LRUCache<string, Documents, Publication & { workspaceId: string }>;

  constructor(
    store: ObjectStore,
    { log, cacheBytes, observer }: { log: FollowedLog; cacheBytes: number; observer: CacheObserver },
  ) {
    this.#store = store;
    this.#log = log;
    this.#observer = observer;
    this.#cache = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#pastDocuments = new LRUCache({
      max: MANIFESTS_IN_MEMORY,
      ignoreFetchAbort: true, // one that is evicted while it is read is returned too
      fetchMethod: async (_hash, _stale, { context }) =>
        await readDocuments(store, context.workspaceId, context),
    });
  }

  /** The memory of the documents that are kept, in bytes, and their number. */
  size(): { cachedBytes: number; cachedDocuments: number } {
    return { cachedBytes: this.#cache.calculatedSize, cachedDocuments: this.#cache.size };
  }

  /** A document of the snapshot in service from memory; undefined if it must be read, or is not there. */
  fromMemory(view: WorkspaceView, question: Question): Found | undefined {
    if (question.of !== 'document' || question.snapshotId !== undefined) return undefined;
    const hash = view.documents.get(pathOf(question.document));
    const document = hash && this.#cache.get(hash);
    if (!document) return undefined;
    this.#observer.cacheHit();
    return inService(view, document);
  }

  /** Null if there is no such document. @throws Failure if an object cannot be read */
  async answer(view: WorkspaceView, question: Question): Promise<Found | null> {
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
    if (current === null) {
      const data = unpublished(id);
      return data && inService(view, await encoded(data));
    }
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

/** What is served of a workspace without a snapshot; null for documents of brands, as it has none. */
function unpublished(id: DocumentId): object | null {
  if (id.brandId !== null) return null;
  if (id.name === 'table') return emptyTable(id.table);
  return id.name === 'week' ? { asOf: null, brands: [] } : [];
}

function inService({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current?.snapshotId ?? null, lastModified, isFinal: false };
}

/** A response that was made for the head in service, and may be another one later. */
function made(document: PreparedDocument, past: Publication | null): Found {
  return { document, snapshotId: past?.snapshotId ?? null, lastModified: null, isFinal: false };
}
