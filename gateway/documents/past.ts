import { LRUCache } from 'lru-cache';
import type { Snapshots } from '../../lib/history/schemas.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { asOf, currentOf, findPublication } from '../../snapshots/log/history.ts';
import type { History, Publication } from '../../snapshots/log/history.ts';
import type { WithdrawalReason } from '../../snapshots/log/entries.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import { readDocument, readManifest } from '../../snapshots/read.ts';
import type { DocumentCache } from './document-cache.ts';
import { documentIndex } from './document-index.ts';
import type { DocumentIndex } from './document-index.ts';
import type { Found } from './documents.ts';
import type { FollowedLog } from './followed-log.ts';
import type { ReadHistory } from './histories.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { WorkspaceView } from './views.ts';

/** A request about a workspace's history. `path`: a document of the snapshot; null for its proof. */
export type PastQuestion = { of: 'list' } | { of: 'snapshot'; snapshotId: string; path: string | null };

export interface PastParts {
  log: FollowedLog;
  cache: DocumentCache;
  readHistory: ReadHistory;
}

/** Some 100 bytes each: 10 MB. */
const ENTRIES_IN_MEMORY = 100_000;

/**
 * Finds responses about the snapshots of a workspace: at most three reads of the store, none if everything is in memory;
 * null if there is no such document.
 * @throws Failure if an object cannot be read.
 */
export function pastFinder(store: ObjectStore, { log, cache, readHistory }: PastParts) {
  const manifests = new LRUCache<string, DocumentIndex, Publication & { workspaceId: string }>({
    maxSize: ENTRIES_IN_MEMORY,
    sizeCalculation: (entries) => 1 + entries.size,
    ignoreFetchAbort: true, // one that is evicted while it is read is returned too
    fetchMethod: async (_hash, _stale, { context: past }) =>
      documentIndex((await readManifest(store, past.workspaceId, past)).documents),
  });
  const prove = async (workspaceId: string, past: Publication) => {
    const { checkpoint } = await log.open();
    return encode(await proveSnapshot(store, checkpoint, workspaceId, past));
  };

  return async (view: WorkspaceView, question: PastQuestion): Promise<Found | null> => {
    const { workspaceId, historySha256 } = view;
    const history = await readHistory(view);
    if (question.of === 'list') {
      const list = async () => encode(listOf(history));
      return madeFrom(await cache.load(`${historySha256} list`, 'past', list), null);
    }
    const past = findServed(history, question);
    if (past === undefined) return null;
    if (question.path === null) {
      // A proof leads to the head in service: a newer one may be cosigned, or was not yet.
      const name = `${past.manifestSha256} proof ${log.head()?.noteSha256}`;
      return madeFrom(await cache.load(name, 'past', async () => await prove(workspaceId, past)), past);
    }
    const isCurrent = past.manifestSha256 === view.current?.manifestSha256;
    const context = { ...past, workspaceId };
    const entries = isCurrent ? view.documents : await manifests.forceFetch(past.manifestSha256, { context });
    const entry = entries.get(question.path);
    if (entry === undefined) return null;
    const named = { workspaceId, snapshotId: past.snapshotId };
    const read = async () => await readDocument(store, named, entry);
    const document = await cache.load(entry.sha256, isCurrent ? 'current' : 'past', read);
    const lastModified = new Date(past.publishedAt).toUTCString();
    return { document, snapshotId: past.snapshotId, lastModified, isFinal: true };
  };
}

/** What a client can still get of a withdrawn snapshot. */
const left: Record<WithdrawalReason, { documents: boolean; proof: boolean }> = {
  mistaken: { documents: true, proof: true },
  pruned: { documents: false, proof: true },
  lost: { documents: false, proof: false },
  removed: { documents: false, proof: false },
};

/** Undefined if the id is malformed, unknown, of another workspace, or gone: clients must not see a difference. */
function findServed(
  history: History,
  { snapshotId, path }: PastQuestion & { of: 'snapshot' },
): Publication | undefined {
  const past = findPublication(history, snapshotId);
  if (!past?.withdrawn) return past;
  return left[past.withdrawn.reason][path === null ? 'proof' : 'documents'] ? past : undefined;
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
