import { LRUCache } from 'lru-cache';
import type { Snapshots } from '../../lib/history/schemas.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { asOf, currentOf, findPublication } from '../../snapshots/log/history.ts';
import type { History, Publication } from '../../snapshots/log/history.ts';
import type { WithdrawalReason } from '../../snapshots/log/entries.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import { readDocument, readManifest } from '../../snapshots/read.ts';
import type { DocumentCache, Share } from './document-cache.ts';
import { documentIndex } from './document-index.ts';
import type { DocumentIndex } from './document-index.ts';
import type { Answers, Found } from './documents.ts';
import type { FollowedLog } from './followed-log.ts';
import type { Histories } from './histories.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { sharedLoads } from './shared-loads.ts';
import type { WorkspaceView } from './views.ts';

/** A request about a workspace's history. `path`: a document of the snapshot; null for its proof. */
export type PastQuestion = { of: 'list' } | { of: 'snapshot'; snapshotId: string; path: string | null };

export interface PastParts {
  log: FollowedLog;
  cache: DocumentCache;
  histories: Histories;
}

/** Some 100 bytes each: 10 MB. */
const ENTRIES_IN_MEMORY = 100_000;

/** Responses about the snapshots of a workspace. */
export function pastAnswers(store: ObjectStore, { log, cache, histories }: PastParts): Answers<PastQuestion> {
  const manifests = new LRUCache<string, DocumentIndex>({
    maxSize: ENTRIES_IN_MEMORY,
    sizeCalculation: (entries) => 1 + entries.size,
  });
  const readOnce = sharedLoads<DocumentIndex>();

  const indexOf = (view: WorkspaceView, past: Publication) =>
    shareOf(view, past) === 'current' ? view.documents : manifests.get(past.manifestSha256);
  const readIndex = async ({ workspaceId }: WorkspaceView, past: Publication) =>
    await readOnce(past.manifestSha256, async () => {
      const entries = documentIndex((await readManifest(store, workspaceId, past)).documents);
      manifests.set(past.manifestSha256, entries);
      return entries;
    });
  // A proof leads to the head in service: a newer one may be cosigned, or was not yet.
  const proofName = ({ manifestSha256 }: Publication) => `${manifestSha256} proof ${log.head()?.noteSha256}`;
  const prove = async ({ workspaceId }: WorkspaceView, past: Publication) => {
    const { checkpoint } = await log.open();
    return encode(await proveSnapshot(store, checkpoint, workspaceId, past));
  };

  return {
    fromMemory(view, question) {
      if (question.of === 'list') return madeFrom(cache.get(listName(view), 'past'), null);
      const history = histories.peek(view);
      if (history === undefined) return undefined;
      const past = findServed(history, question);
      if (past === undefined) return null;
      if (question.path === null) return madeFrom(cache.get(proofName(past), 'past'), past);
      const entries = indexOf(view, past);
      if (entries === undefined) return undefined;
      const entry = entries.get(question.path);
      if (entry === undefined) return null;
      const document = cache.get(entry.sha256, shareOf(view, past));
      return document && foundIn(past, document);
    },
    async read(view, question) {
      const history = await histories.read(view);
      if (question.of === 'list')
        return madeFrom(await cache.load(listName(view), 'past', async () => encode(listOf(history))), null);
      const past = findServed(history, question);
      if (past === undefined) return null;
      if (question.path === null)
        return madeFrom(await cache.load(proofName(past), 'past', async () => await prove(view, past)), past);
      const entries = indexOf(view, past) ?? (await readIndex(view, past));
      const entry = entries.get(question.path);
      if (entry === undefined) return null;
      const named = { workspaceId: view.workspaceId, snapshotId: past.snapshotId };
      const read = async () => await readDocument(store, named, entry);
      return foundIn(past, await cache.load(entry.sha256, shareOf(view, past), read));
    },
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

function shareOf({ current }: WorkspaceView, { manifestSha256 }: Publication): Share {
  return manifestSha256 === current?.manifestSha256 ? 'current' : 'past';
}

function foundIn({ snapshotId, publishedAt }: Publication, document: PreparedDocument): Found {
  return { document, snapshotId, lastModified: new Date(publishedAt).toUTCString(), isFinal: true };
}

/** A response that was made for the head in service, and may be another one later. */
function madeFrom(document: PreparedDocument, past: Publication | null): Found;
function madeFrom(document: PreparedDocument | undefined, past: Publication | null): Found | undefined;
function madeFrom(document: PreparedDocument | undefined, past: Publication | null): Found | undefined {
  return document && { document, snapshotId: past?.snapshotId ?? null, lastModified: null, isFinal: false };
}

function listName({ historySha256 }: WorkspaceView): string {
  return `${historySha256} list`;
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
