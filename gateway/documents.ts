import { LRUCache } from 'lru-cache';
import { sha256 } from '../lib/hash.ts';
import pMap from 'p-map';
import type { Trust } from '../lib/signing.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { BRANDS_PATH } from '../snapshots/layout.ts';
import { readDocument } from '../snapshots/read.ts';
import { documentCache } from './document-cache.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { readNewerView, readView } from './snapshot-view.ts';
import type { DocumentEntry, SnapshotView } from './snapshot-view.ts';

/** A document and the snapshot it is from; null where the workspace has none yet. */
export interface Found {
  document: PreparedDocument;
  snapshotId: string | null;
}

/** Null and no error: there is no such document. Called at once where everything is in memory. */
export type FoundCallback = (error: unknown, found: Found | null) => void;

/** The documents of all workspaces, from memory where they are there. */
export interface DocumentService {
  find(workspaceId: string, path: string, callback: FoundCallback): void;
  /** Looks for newer snapshots of the workspaces in use now, instead of when the timer says so. */
  refresh(): Promise<void>;
  /** For metrics. */
  status(): DocumentStatus;
  close(): void;
}

export interface DocumentStatus {
  cachedBytes: number;
  cachedDocuments: number;
  workspaces: WorkspaceStatus[];
}

export interface WorkspaceStatus {
  workspaceId: string;
  /** `current`: what the pointer names. `kept`: the last good one, because what it names cannot be read. */
  state: 'current' | 'kept' | 'none';
  asOf: number | null;
}

export interface DocumentObserver {
  cacheHit(): void;
  cacheMiss(): void;
  /** A newer snapshot cannot be read, and the last good one stays in service. Told once per reason. */
  snapshotKept(workspaceId: string, reason: unknown): void;
  /** The pointer names another snapshot, and it is in service now. */
  snapshotChanged(workspaceId: string, snapshotId: string | null): void;
}

export interface DocumentOptions {
  cacheBytes: number;
  /** How often the pointers of workspaces in use are read again. */
  refreshSeconds: number;
  observer: DocumentObserver;
  /** The keys of which one must have signed every snapshot; absent: signatures are not looked at. */
  trust?: Trust | undefined;
}

interface InUse {
  view: SnapshotView;
  /** Asked for since the last refresh. */
  touched: boolean;
  idleRounds: number;
  /** Why the view is not the newest; '' while it is. */
  trouble: string;
  failures: number;
  roundsToSkip: number;
}

/** After ten minutes at three seconds a round, an idle workspace is forgotten; its next request reads the pointer. */
const IDLE_ROUNDS = 200;
const MANIFEST_CACHE_BYTES = 16 * 1024 * 1024;
const MANIFEST_ENTRY_BYTES = 350;
const REFRESHES_AT_ONCE = 8;
const MOST_ROUNDS_SKIPPED = 16;

export function documentService(store: ObjectStore, options: DocumentOptions): DocumentService {
  const { observer, trust = null } = options;
  const cache = documentCache(options.cacheBytes);
  const inUse = new LRUCache<string, InUse>({
    maxSize: MANIFEST_CACHE_BYTES,
    sizeCalculation: ({ view }) => (view.documents.size + 2) * MANIFEST_ENTRY_BYTES,
  });
  const opening = new Map<string, Promise<InUse>>();
  let noBrands: Promise<PreparedDocument> | undefined;
  const loadDocument = (view: SnapshotView, entry: DocumentEntry) =>
    cache.load(entry.sha256, () => readDocument(store, manifestOf(view), entry));

  const openView = (workspaceId: string): Promise<InUse> => {
    const underway = opening.get(workspaceId);
    if (underway !== undefined) return underway;
    const open = readView(store, workspaceId, trust)
      .then((view) => {
        const opened = freshlyInUse(view);
        inUse.set(workspaceId, opened);
        return opened;
      })
      .finally(() => opening.delete(workspaceId));
    opening.set(workspaceId, open);
    return open;
  };

  const findSlowly = async (workspaceId: string, path: string): Promise<Found | null> => {
    const workspace = inUse.get(workspaceId) ?? (await openView(workspaceId));
    workspace.touched = true;
    const { view } = workspace;
    const snapshotId = view.pointer?.snapshotId ?? null;
    if (snapshotId === null) {
      return path === BRANDS_PATH ? { document: await (noBrands ??= prepareNoBrands()), snapshotId } : null;
    }
    const entry = view.documents.get(path);
    if (entry === undefined) return null;
    try {
      return { document: await loadDocument(view, entry), snapshotId };
    } catch (error) {
      // Somebody may have pruned the snapshot in the moment in which it was replaced.
      if (workspace.view === view) throw error;
      return await findSlowly(workspaceId, path);
    }
  };

  const findElsewhere = async (workspaceId: string, path: string, callback: FoundCallback) => {
    let found: Found | null;
    try {
      found = await findSlowly(workspaceId, path);
    } catch (error) {
      callback(error, null);
      return;
    }
    if (found !== null) observer.cacheMiss();
    callback(null, found);
  };

  /** The newer snapshot goes into service only once every document of it has been read and is what it should be. */
  const takeOver = async (workspace: InUse, newer: SnapshotView) => {
    const { view } = workspace;
    for (const entry of newer.documents.values()) {
      const before = view.documents.get(entry.path);
      const wanted = before !== undefined && cache.has(before.sha256);
      await (wanted ? loadDocument(newer, entry) : readDocument(store, manifestOf(newer), entry));
    }
    workspace.view = newer;
    observer.snapshotChanged(newer.workspaceId, newer.pointer?.snapshotId ?? null);
  };

  const refreshOne = async (workspace: InUse) => {
    if (workspace.roundsToSkip > 0) {
      workspace.roundsToSkip -= 1;
      return;
    }
    try {
      const newer = await readNewerView(store, workspace.view, trust);
      if (newer !== workspace.view) await takeOver(workspace, newer);
      workspace.trouble = '';
      workspace.failures = 0;
    } catch (error) {
      const trouble = String(error);
      if (trouble !== workspace.trouble) observer.snapshotKept(workspace.view.workspaceId, error);
      workspace.trouble = trouble;
      workspace.failures += 1;
      workspace.roundsToSkip = Math.min(2 ** workspace.failures - 2, MOST_ROUNDS_SKIPPED);
    }
  };

  const refresh = async () => {
    const due = [...inUse.values()].filter((workspace) => stillInUse(inUse, workspace));
    await pMap(due, refreshOne, { concurrency: REFRESHES_AT_ONCE });
  };

  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(
      () => void refresh().finally(() => timer !== undefined && schedule()),
      options.refreshSeconds * 1000,
    );
    timer.unref();
  };
  schedule();

  return {
    find(workspaceId, path, callback) {
      const workspace = inUse.get(workspaceId);
      if (workspace !== undefined && workspace.view.pointer !== null) {
        workspace.touched = true;
        const entry = workspace.view.documents.get(path);
        if (entry === undefined) return callback(null, null);
        const document = cache.get(entry.sha256);
        if (document !== undefined) {
          observer.cacheHit();
          return callback(null, { document, snapshotId: workspace.view.pointer.snapshotId });
        }
      }
      void findElsewhere(workspaceId, path, callback);
    },
    refresh,
    status: () => ({
      cachedBytes: cache.bytes(),
      cachedDocuments: cache.documents(),
      workspaces: [...inUse.values()].map(statusOf),
    }),
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** What writes documents is loaded by the first who needs it, which most gateways never do (see openApiText). */
async function prepareNoBrands(): Promise<PreparedDocument> {
  const { encodeDocument } = await import('../lib/documents/encode.ts');
  const body = encodeDocument('brands', []);
  return await prepareDocument(body, sha256(body));
}

function freshlyInUse(view: SnapshotView): InUse {
  return { view, touched: true, idleRounds: 0, trouble: '', failures: 0, roundsToSkip: 0 };
}

/** Forgets a workspace that nobody asks for, except one whose last good snapshot could not be read again. */
function stillInUse(inUse: LRUCache<string, InUse>, workspace: InUse): boolean {
  workspace.idleRounds = workspace.touched ? 0 : workspace.idleRounds + 1;
  workspace.touched = false;
  if (workspace.idleRounds < IDLE_ROUNDS || workspace.trouble !== '') return true;
  inUse.delete(workspace.view.workspaceId);
  return false;
}

function manifestOf(view: SnapshotView): { workspaceId: string; snapshotId: string } {
  return { workspaceId: view.workspaceId, snapshotId: view.pointer!.snapshotId };
}

function statusOf({ view, trouble }: InUse): WorkspaceStatus {
  const state = trouble !== '' ? 'kept' : view.pointer === null ? 'none' : 'current';
  return { workspaceId: view.workspaceId, state, asOf: view.asOf };
}
