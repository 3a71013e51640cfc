import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { asOf, currentOf } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { readManifest } from '../../snapshots/read.ts';
import { DocumentIndex } from './document-index.ts';
import type { DocumentFinder } from './find.ts';
import type { FollowedLog } from './followed-log.ts';
import type { HistoryName, ReadHistory } from './histories.ts';
import { sharedLoads } from './shared-loads.ts';

/** What is in service for a workspace. */
export interface WorkspaceView extends HistoryName {
  /** The snapshot in service; null if nothing is published, or all of it was withdrawn: there are no brands then. */
  current: Publication | null;
  /** Milliseconds since the Unix epoch; null without a snapshot. */
  asOf: number | null;
  /** When it was published, as an HTTP date; null without a snapshot. */
  lastModified: string | null;
  documents: DocumentIndex;
}

/** The views of the workspaces in use. */
export interface WorkspaceViews {
  /** The view in memory, if there is one. */
  peek(workspaceId: string): WorkspaceView | undefined;
  /** The view in memory, or else as the head of the log says. @throws Failure if it cannot be read. */
  open(workspaceId: string): Promise<WorkspaceView>;
  /** The view after a look at the log; the same one if the log says nothing new of its workspace. */
  renew(view: WorkspaceView): Promise<WorkspaceView | undefined>;
  /** Looks at the log, and renews the views that it says something new of. */
  refresh(): Promise<void>;
  status(): WorkspaceStatus[];
}

export interface WorkspaceStatus {
  workspaceId: string;
  /** `current`: as the log says. `kept`: the last good state, because a newer one cannot be read. `none`: no snapshot. */
  state: 'current' | 'kept' | 'none';
  asOf: number | null;
}

export interface ViewObserver {
  /**
   * A newer state cannot be read, and the last good one stays in service. Called once per reason.
   * @param workspaceId null: of all workspaces, because the head of the log cannot be accepted
   */
  snapshotKept(workspaceId: string | null, reason: unknown): void;
  /** Another snapshot went into service; null: none, all were withdrawn. */
  snapshotChanged(workspaceId: string, snapshotId: string | null): void;
}

interface ViewParts {
  log: FollowedLog;
  readHistory: ReadHistory;
  observer: ViewObserver;
  finder: Pick<DocumentFinder, 'prepare'>;
  /** A clock in milliseconds; only differences matter. */
  now: () => number;
}

interface InUse {
  view: WorkspaceView;
  /** When a request last used it. */
  usedAt: number;
  /** Why the view is not the newest one; '' if it is. */
  trouble: string;
  failures: number;
  /** Nothing is read again before this time. */
  retryAt: number;
}

/** A workspace without requests for this long is forgotten; its next request reads history and manifest. */
const IDLE_MS = 10 * 60_000;
const WORKSPACES_AT_ONCE = 64;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Views are only evicted when idle; each takes about 100 bytes per document of the workspace. A view whose successor
 * cannot be read is never evicted: the gateway could not load it again.
 */
export function workspaceViews(store: ObjectStore, parts: ViewParts): WorkspaceViews {
  const { log, readHistory, now } = parts;
  const inUse = new Map<string, InUse>();
  const openOnce = sharedLoads<WorkspaceView>();
  const renewOnce = sharedLoads<void>();
  /** Never null for a workspace in use: there is a head. */
  const newestOf = (workspaceId: string) => log.head()?.heads.get(workspaceId) ?? null;

  const peek = (workspaceId: string): WorkspaceView | undefined => {
    const found = inUse.get(workspaceId);
    if (found === undefined) return undefined;
    found.usedAt = now();
    return found.view;
  };

  const read = async (workspaceId: string): Promise<WorkspaceView> => {
    await log.open();
    const historySha256 = newestOf(workspaceId);
    try {
      const view = await readView(store, readHistory, { workspaceId, historySha256 });
      inUse.set(workspaceId, { view, usedAt: now(), trouble: '', failures: 0, retryAt: 0 });
      return view;
    } catch (error) {
      // A newer entry may have replaced, or removed, what the head in service names.
      await log.look();
      if (newestOf(workspaceId) === historySha256) throw error;
      return await read(workspaceId);
    }
  };

  const renew = async (workspace: InUse) => {
    const { workspaceId } = workspace.view;
    const name = { workspaceId, historySha256: newestOf(workspaceId) };
    if (name.historySha256 === workspace.view.historySha256) return;
    const load = async () => await readView(store, readHistory, name);
    await renewOnce(workspaceId, async () => await replaceView(workspace, load, parts));
  };

  return {
    peek,
    open: async (workspaceId) =>
      peek(workspaceId) ?? (await openOnce(workspaceId, async () => await read(workspaceId))),
    async renew(view) {
      await log.look();
      const workspace = inUse.get(view.workspaceId);
      if (workspace?.view === view) await renew(workspace);
      return peek(view.workspaceId);
    },
    async refresh() {
      forgetIdle(inUse, now() - IDLE_MS);
      await log.look();
      const due = [...inUse.values()].filter(({ failures, retryAt }) => failures === 0 || retryAt <= now());
      await pMap(due, renew, { concurrency: WORKSPACES_AT_ONCE });
    },
    status: () => [...inUse.values()].map((workspace) => statusOf(workspace, log.trouble() !== null)),
  };
}

function forgetIdle(inUse: Map<string, InUse>, before: number): void {
  for (const [id, { usedAt, trouble }] of inUse) if (usedAt < before && trouble === '') inUse.delete(id);
}

/** @throws Failure if history or manifest cannot be read */
async function readView(
  store: ObjectStore,
  readHistory: ReadHistory,
  name: HistoryName,
): Promise<WorkspaceView> {
  const { workspaceId } = name;
  const current = currentOf(await readHistory(name));
  if (current === null)
    return { ...name, current, asOf: null, lastModified: null, documents: new DocumentIndex([]) };
  const documents = new DocumentIndex((await readManifest(store, workspaceId, current)).documents);
  if (documents.get({ brandId: null, name: 'brands' }) === undefined)
    throw new Failure(`snapshot ${current.snapshotId} of workspace ${workspaceId} has no ${BRANDS_PATH}`);
  const lastModified = new Date(current.publishedAt).toUTCString();
  return { ...name, current, asOf: Date.parse(asOf(current)), lastModified, documents };
}

/** Puts a newer view into service, or records why the one in service stays. */
async function replaceView(
  workspace: InUse,
  load: () => Promise<WorkspaceView>,
  { observer, ...parts }: ViewParts,
): Promise<void> {
  const { view } = workspace;
  const { workspaceId } = view;
  try {
    const newer = await load();
    await parts.finder.prepare(newer, view);
    workspace.view = newer;
    if (newer.current?.snapshotId !== view.current?.snapshotId)
      observer.snapshotChanged(workspaceId, newer.current?.snapshotId ?? null);
    workspace.trouble = '';
    workspace.failures = 0;
  } catch (error) {
    const trouble = String(error);
    if (trouble !== workspace.trouble) observer.snapshotKept(workspaceId, error);
    workspace.trouble = trouble;
    workspace.failures += 1;
    workspace.retryAt = parts.now() + pauseAfter(workspace.failures);
  }
}

/** Milliseconds before the next attempt: 0 after the first failure in a row, then 2, 6, 14 and 30 seconds. */
function pauseAfter(failures: number): number {
  return Math.min(1000 * (2 ** failures - 2), LONGEST_PAUSE_MS);
}

function statusOf({ view, trouble }: InUse, isLogKept: boolean): WorkspaceStatus {
  const state = isLogKept || trouble !== '' ? 'kept' : view.current === null ? 'none' : 'current';
  return { workspaceId: view.workspaceId, state, asOf: view.asOf };
}
