import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { PastSnapshot } from '../../snapshots/manifest.ts';
import { readDocument } from '../../snapshots/read.ts';
import type { DocumentCache, Share } from './document-cache.ts';
import type { Found } from './documents.ts';
import { listOf } from './past-snapshots.ts';
import type { Histories, History, ServedSnapshot } from './past-snapshots.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { isCurrent, pastManifests } from './past-manifests.ts';
import { pastProofs } from './past-proofs.ts';
import type { DocumentEntry } from './document-index.ts';

/** A request about a workspace's history. `path`: a document of the snapshot; null for its proof. */
export type PastQuestion = { of: 'list' } | { of: 'snapshot'; snapshotId: string; path: string | null };

/** Responses about the snapshots of a workspace up to the one in service; null if there is no such document. */
export interface PastAnswers {
  /** From memory; undefined if the store must be read. */
  fromMemory(history: History, question: PastQuestion): Found | null | undefined;
  /** At most two reads of the store for a document. @throws Failure if an object cannot be read. */
  read(history: History, question: PastQuestion): Promise<Found | null>;
}

export interface PastParts {
  cache: DocumentCache;
  histories: Histories;
  trust: Trust | null;
}

export function pastAnswers(store: ObjectStore, { cache, histories, trust }: PastParts): PastAnswers {
  const manifests = pastManifests(store);
  const proofs = pastProofs(store, cache, trust);

  const fromMemory: PastAnswers['fromMemory'] = (history, question) => {
    if (question.of === 'list') {
      const document = cache.get(history.listSha256, 'past');
      return document && { document, snapshotId: null, lastModified: null, isFinal: false };
    }
    const past = findSnapshot(history, question.snapshotId);
    if (past === undefined) return null;
    if (question.path === null) return proofs.inMemory(past);
    const entries = manifests.inMemory(history, past);
    if (entries === undefined) return undefined;
    const entry = entries.get(question.path);
    if (entry === undefined) return null;
    const document = cache.get(entry.sha256, shareOf(history, past));
    return document && foundIn(past, document);
  };

  const readDocumentOf = async (history: History, past: ServedSnapshot, entry: DocumentEntry) => {
    const { workspaceId } = history.view;
    const read = () => readDocument(store, { workspaceId, snapshotId: past.snapshotId }, entry);
    return foundIn(past, await cache.load(entry.sha256, shareOf(history, past), read));
  };

  const readOnce = async (history: History, question: PastQuestion): Promise<Found | null> => {
    if (question.of === 'list') {
      const document = await cache.load(history.listSha256, 'past', () => Promise.resolve(listOf(history)));
      return { document, snapshotId: null, lastModified: null, isFinal: false };
    }
    const past = findSnapshot(history, question.snapshotId);
    if (past === undefined) return null;
    if (question.path === null) return await proofs.read(history, past);
    const entries = manifests.inMemory(history, past) ?? (await manifests.read(history, past));
    const entry = entries.get(question.path);
    return entry === undefined ? null : await readDocumentOf(history, past, entry);
  };

  return {
    fromMemory,
    async read(history, question) {
      try {
        return await readOnce(history, question);
      } catch (error) {
        // The snapshot may have been pruned since the history was read.
        const newer = await histories.renew(history).catch(() => history);
        if (question.of === 'snapshot' && newer.pruned.has(question.snapshotId)) return null;
        throw error;
      }
    },
  };
}

/** Undefined if the id is malformed, unknown, of another workspace or pruned: clients must not see a difference. */
function findSnapshot({ snapshots, pruned }: History, snapshotId: string): ServedSnapshot | undefined {
  return pruned.has(snapshotId) ? undefined : snapshots.get(snapshotId);
}

function shareOf({ view }: History, past: PastSnapshot): Share {
  return isCurrent(view, past) ? 'current' : 'past';
}

function foundIn({ snapshotId, lastModified }: ServedSnapshot, document: PreparedDocument): Found {
  return { document, snapshotId, lastModified, isFinal: true };
}
