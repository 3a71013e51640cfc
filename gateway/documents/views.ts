import { Failure } from '../../lib/failure.ts';
import type { Snapshots } from '../../lib/history/schemas.ts';
import { once } from '../../lib/once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, historyKey } from '../../snapshots/layout.ts';
import { asOf, currentOf, decodeHistory, emptyHistory } from '../../snapshots/log/history.ts';
import type { History, Publication } from '../../snapshots/log/history.ts';
import { readManifest, readNamed } from '../../snapshots/read.ts';
import { prepareDocument } from '../http/prepared-document.ts';
import type { PreparedDocument } from '../http/prepared-document.ts';

/** What is in service for a workspace. */
export interface WorkspaceView {
  workspaceId: string;
  /** The name of its history; null if the log has none. */
  historySha256: string | null;
  history: History;
  /** The snapshot in service; null if nothing is published, or all of it was withdrawn: there are no brands then. */
  current: Publication | null;
  /** When it was published, as an HTTP date; null without a snapshot. */
  lastModified: string | null;
  documents: Documents;
  /** The response of listSnapshots, made at its first request. */
  list: () => Promise<PreparedDocument>;
}

/** The SHA-256 of each document of a snapshot, by path. */
export type Documents = ReadonlyMap<string, string>;

/** Two reads of the store, none for a workspace without a history. @throws Failure if it cannot be read */
export async function readView(
  store: ObjectStore,
  workspaceId: string,
  historySha256: string | null,
): Promise<WorkspaceView> {
  const history = await readHistory(store, workspaceId, historySha256);
  const current = currentOf(history);
  const documents: Documents =
    current === null ? new Map() : await readDocuments(store, workspaceId, current);
  if (current !== null && !documents.has(BRANDS_PATH))
    throw new Failure(`snapshot ${current.snapshotId} of workspace ${workspaceId} has no ${BRANDS_PATH}`);
  const lastModified = current && new Date(current.publishedAt).toUTCString();
  const list = once(async () => await encoded(listOf(history)));
  return { workspaceId, historySha256, history, current, lastModified, documents, list };
}

async function readHistory(store: ObjectStore, workspaceId: string, hash: string | null): Promise<History> {
  if (hash === null) return emptyHistory(workspaceId);
  const key = historyKey(workspaceId, hash);
  return decodeHistory(await readNamed(store, key, hash, 'the log'), workspaceId, `${store.url}/${key}`);
}

/** @throws Failure if the manifest cannot be read */
export async function readDocuments(
  store: ObjectStore,
  workspaceId: string,
  snapshot: Publication,
): Promise<Documents> {
  const { documents } = await readManifest(store, workspaceId, snapshot);
  return new Map(documents.map(({ path, sha256 }) => [path, sha256]));
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

/** A response that is made here, and not stored. */
export async function encoded(data: unknown): Promise<PreparedDocument> {
  return await prepareDocument(Buffer.from(`${JSON.stringify({ data })}\n`));
}
