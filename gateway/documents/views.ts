import pMap from 'p-map';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { repeat } from './repeat.ts';
import { sharedLoads } from './shared-loads.ts';
import { readNewerView, readView } from './snapshot-view.ts';
import type { SnapshotView } from './snapshot-view.ts';

/** The snapshot in service of each workspace in use. */
export interface SnapshotViews {
  /** The view in memory, if there is one. */
  peek(workspaceId: string): SnapshotView | undefined;
  /** The view in memory, or else of the snapshot that the pointer names. @throws Failure if it cannot be read. */
  open(workspaceId: string): Promise<SnapshotView>;
  /** The view after looking for a newer snapshot of its workspace now; the same one if there is none. */
  renew(view: SnapshotView): Promise<SnapshotView | undefined>;
  /** Looks for newer snapshots of the workspaces in use now, without waiting for the timer. */
  refresh(): Promise<void>;
  status(): WorkspaceStatus[];
  close(): void;
}

export interface WorkspaceStatus {
  workspaceId: string;
  /**
   * `current`: the pointer's snapshot. `kept`: the last good one, because the pointer's cannot be read. `none`: no
   * snapshot.
   */
  state: 'current' | 'kept' | 'none';
  asOf: number | null;
}

export interface ViewObserver {
  /** A newer snapshot cannot be read, and the last good one stays in service. Called once per reason. */
  snapshotKept(workspaceId: string, reason: unknown): void;
  /** A newer snapshot went into service. */
  snapshotChanged(workspaceId: string, snapshotId: string | null): void;
}

export interface ViewOptions {
  /** How often the pointers of workspaces in use are read again, in milliseconds. */
  refreshSeconds: number;
  observer: ViewObserver;
  /** Every snapshot must be signed with one of these keys; null: signatures are not checked. */
  trust: Trust | null;
  /** Reads every document of a newer view before it goes into service. @throws if one does not match its hash. */
  prepare(newer: SnapshotView, current: SnapshotView): Promise<void>;
  /** A clock in milliseconds; only differences matter. */
  now?: (() => number) | undefined;
}

interface InUse {
  view: SnapshotView;
  /** When a request last used it. */
  usedAt: number;
  /** Why the view is not the newest one; '' if it is. */
  trouble: string;
  failures: number;
  /** The pointer is not read again before this time. */
  retryAt: number;
}

/** A workspace without requests for this long is forgotten; its next request reads the pointer. */
const IDLE_MS = 10 * 60_000;
const REFRESHES_AT_ONCE = 8;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Views are only evicted when idle; each takes about 100 bytes per document of the workspace. A view whose successor
 * cannot be read is never evicted: the gateway could not load it again.
 */
export function snapshotViews(store: ObjectStore, options: ViewOptions): SnapshotViews {
  const { trust, now = () => performance.now() } = options;
  const inUse = new Map<string, InUse>();
  const opening = new Map<string, Promise<SnapshotView>>();
  const renewOnce = sharedLoads<void>();

  const peek = (workspaceId: string): SnapshotView | undefined => {
    const found = inUse.get(workspaceId);
    if (found === undefined) return undefined;
    found.usedAt = now();
    return found.view;
  };

  const read = async (workspaceId: string): Promise<SnapshotView> => {
    try {
      const view = await readView(store, workspaceId, trust);
      inUse.set(workspaceId, { view, usedAt: now(), trouble: '', failures: 0, retryAt: 0 });
      return view;
    } finally {
      opening.delete(workspaceId);
    }
  };

  const open = async (workspaceId: string): Promise<SnapshotView> => {
    const known = peek(workspaceId);
    if (known !== undefined) return known;
    let reading = opening.get(workspaceId);
    if (reading === undefined) opening.set(workspaceId, (reading = read(workspaceId)));
    return await reading;
  };

  const forgetIdle = () => {
    const before = now() - IDLE_MS;
    for (const [id, { usedAt, trouble }] of inUse) if (usedAt < before && trouble === '') inUse.delete(id);
  };

  const refresh = async () => {
    forgetIdle();
    const due = [...inUse.values()].filter(({ failures, retryAt }) => failures === 0 || retryAt <= now());
    await pMap(due, (workspace) => refreshOne(store, workspace, options), { concurrency: REFRESHES_AT_ONCE });
  };

  return {
    peek,
    open,
    async renew(view) {
      const workspace = inUse.get(view.workspaceId);
      if (workspace?.view === view)
        await renewOnce(view.workspaceId, () => refreshOne(store, workspace, options));
      return peek(view.workspaceId);
    },
    refresh,
    status: () => [...inUse.values()].map(statusOf),
    close: repeat(refresh, options.refreshSeconds * 1000),
  };
}

/** Puts a newer snapshot into service, or records why the current one stays. */
async function refreshOne(store: ObjectStore, workspace: InUse, options: ViewOptions): Promise<void> {
  const { observer, now = () => performance.now() } = options;
  const { view } = workspace;
  try {
    const newer = await readNewerView(store, view, options.trust);
    if (newer !== view) {
      await options.prepare(newer, view);
      if (workspace.view !== view) return; // another call was faster, and its snapshot may be newer
      workspace.view = newer;
      observer.snapshotChanged(newer.workspaceId, newer.pointer?.snapshotId ?? null);
    }
    workspace.trouble = '';
    workspace.failures = 0;
  } catch (error) {
    const trouble = String(error);
    if (trouble !== workspace.trouble) observer.snapshotKept(workspace.view.workspaceId, error);
    workspace.trouble = trouble;
    workspace.failures += 1;
    workspace.retryAt = now() + pauseAfter(workspace.failures);
  }
}

/** Milliseconds before the next attempt: 0 after the first failure in a row, then 2, 6, 14 and 30 seconds. */
function pauseAfter(failures: number): number {
  return Math.min(1000 * (2 ** failures - 2), LONGEST_PAUSE_MS);
}

function statusOf({ view, trouble }: InUse): WorkspaceStatus {
  const state = trouble !== '' ? 'kept' : view.pointer === null ? 'none' : 'current';
  return { workspaceId: view.workspaceId, state, asOf: view.asOf };
}
