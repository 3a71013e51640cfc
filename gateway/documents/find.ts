import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import type { Snapshots } from '../../lib/history/schemas.ts';
import { once } from '../../lib/once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { pathOf } from '../../snapshots/layout.ts';
import type { DocumentId } from '../../snapshots/layout.ts';
import { asOf, currentOf, findPublication, hasDocuments, mayBeGone } from '../../snapshots/log/history.ts';
import type { History, Publication } from '../../snapshots/log/history.ts';
import { formatNote } from '../../snapshots/log/notes/note.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import { readDocument, readManifest } from '../../snapshots/read.ts';
import type { DocumentCache, Share } from './document-cache.ts';
import { DocumentIndex } from './document-index.ts';
import type { DocumentEntry } from './document-index.ts';
import type { FollowedLog } from './followed-log.ts';
import type { ReadHistory } from './histories.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { WorkspaceView } from './views.ts';

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

/** What a request asks of its workspace: a document of a snapshot, or of the one in service; the list; a proof. */
export type Question =
  | { of: 'document'; document: DocumentId; snapshotId: string | undefined }
  | { of: 'proof'; snapshotId: string }
  | { of: 'list'; snapshotId?: never };

/** Some 100 bytes each: 10 MB. */
const ENTRIES_IN_MEMORY = 100_000;
const DOCUMENTS_AT_ONCE = 4;
const NO_BRANDS = Buffer.from('{"data":[]}\n');

interface FinderParts {
  log: FollowedLog;
  cache: DocumentCache;
  readHistory: ReadHistory;
}

/** Finds what is requested, as a view of its workspace says; null if there is no such thing. */
export class DocumentFinder {
  readonly #store: ObjectStore;
  readonly #parts: FinderParts;
  readonly #noBrands = once(async () => await prepareDocument(NO_BRANDS, sha256(NO_BRANDS)));
  readonly #manifests: LRUCache<string, DocumentIndex, Publication & { workspaceId: string }>;

  constructor(store: ObjectStore, parts: FinderParts) {
    this.#store = store;
    this.#parts = parts;
    this.#manifests = new LRUCache({
      maxSize: ENTRIES_IN_MEMORY,
      sizeCalculation: (entries) => 1 + entries.size,
      ignoreFetchAbort: true, // one that is evicted while it is read is returned too
      fetchMethod: async (_hash, _stale, { context: past }) =>
        new DocumentIndex((await readManifest(store, past.workspaceId, past)).documents),
    });
  }

  /** A document of the snapshot in service from memory; undefined if it must be read. */
  fromMemory(view: WorkspaceView, id: DocumentId): Found | null | undefined {
    const entry = view.documents.get(id);
    if (entry === undefined) return view.current === null && id.name === 'brands' ? undefined : null;
    const document = this.#parts.cache.get(entry.sha256);
    return document && inService(view, document);
  }

  /** At most three reads of the store, none if everything is in memory. @throws Failure if an object cannot be read */
  async find(view: WorkspaceView, question: Question): Promise<Found | null> {
    const { of, snapshotId } = question;
    if (of === 'document' && snapshotId === undefined)
      return await this.#findCurrent(view, question.document);
    const history = await this.#parts.readHistory(view);
    if (of === 'list') return await this.#list(view, history);
    // Clients must not see whether an id is malformed, unknown, of another workspace, or gone.
    const past = findPublication(history, snapshotId!);
    if (past === undefined) return null;
    if (of === 'document')
      return hasDocuments(past) ? await this.#findPast(view, past, question.document) : null;
    return mayBeGone(past.withdrawn?.reason) ? null : await this.#prove(view, past);
  }

  /**
   * Loads the documents of a newer view whose predecessors are in memory; the others are loaded when requested.
   * @throws Failure if one of them cannot be read
   */
  async prepare(newer: WorkspaceView, current: WorkspaceView): Promise<void> {
    const inUse = [...newer.documents.entries()].filter(({ id }) => {
      const before = current.documents.get(id);
      return before !== undefined && this.#parts.cache.has(before.sha256);
    });
    const load = async (entry: DocumentEntry) =>
      await this.#load(newer, newer.current!.snapshotId, entry, 'current');
    await pMap(inUse, load, { concurrency: DOCUMENTS_AT_ONCE });
  }

  async #findCurrent(view: WorkspaceView, id: DocumentId): Promise<Found | null> {
    const { current, documents } = view;
    if (current === null) return id.name === 'brands' ? inService(view, await this.#noBrands()) : null;
    const entry = documents.get(id);
    if (entry === undefined) return null;
    return inService(view, await this.#load(view, current.snapshotId, entry, 'current'));
  }

  async #findPast(view: WorkspaceView, past: Publication, id: DocumentId): Promise<Found | null> {
    const { snapshotId, manifestSha256, publishedAt } = past;
    const isCurrent = manifestSha256 === view.current?.manifestSha256;
    const context = { ...past, workspaceId: view.workspaceId };
    const entries = isCurrent
      ? view.documents
      : await this.#manifests.forceFetch(manifestSha256, { context });
    const entry = entries.get(id);
    if (entry === undefined) return null;
    const document = await this.#load(view, snapshotId, entry, isCurrent ? 'current' : 'past');
    return { document, snapshotId, lastModified: new Date(publishedAt).toUTCString(), isFinal: true };
  }

  async #load({ workspaceId }: WorkspaceView, snapshotId: string, entry: DocumentEntry, share: Share) {
    const document = { path: pathOf(entry.id), sha256: entry.sha256 };
    const read = async () => await readDocument(this.#store, { workspaceId, snapshotId }, document);
    return await this.#parts.cache.load(entry.sha256, share, read);
  }

  async #list({ historySha256 }: WorkspaceView, history: History): Promise<Found> {
    const list = async () => encode(listOf(history));
    return madeFrom(await this.#parts.cache.load(`${historySha256} list`, 'past', list), null);
  }

  async #prove({ workspaceId }: WorkspaceView, past: Publication): Promise<Found> {
    const { log, cache } = this.#parts;
    // A proof leads to the head in service: a newer one may be cosigned, or was not yet.
    const { checkpoint } = await log.open();
    const name = `${past.manifestSha256} proof ${sha256(formatNote(checkpoint.note))}`;
    const prove = async () => encode(await proveSnapshot(this.#store, checkpoint, workspaceId, past));
    return madeFrom(await cache.load(name, 'past', prove), past);
  }
}

function inService({ current, lastModified }: WorkspaceView, document: PreparedDocument): Found {
  return { document, snapshotId: current?.snapshotId ?? null, lastModified, isFinal: false };
}

/** A response that was made for the head in service, and may be another one later. */
function madeFrom(document: PreparedDocument, past: Publication | null): Found {
  return { document, snapshotId: past?.snapshotId ?? null, lastModified: null, isFinal: false };
}

/** Newest first, without those of which nothing is left. */
export function listOf(history: History): Snapshots {
  const current = currentOf(history);
  return history.publications.toReversed().flatMap((past) => {
    const reason = past.withdrawn?.reason ?? null;
    if (reason === 'removed') return [];
    return {
      id: past.snapshotId,
      sequence: past.sequence,
      asOf: asOf(past),
      publishedAt: past.publishedAt,
      methodologyVersion: past.methodologyVersion,
      brands: past.brands,
      isCurrent: past === current,
      isPruned: reason === 'pruned',
      withdrawn: reason,
    };
  });
}

function encode(data: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ data })}\n`);
}
