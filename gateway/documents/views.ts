import pMap from 'p-map';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { repeat } from './repeat.ts';
import { readNewerView, readView } from './snapshot-view.ts';
import type { SnapshotView } from './snapshot-view.ts';

/** Which snapshot each workspace in use is served from. */
export interface SnapshotViews {
  /** The view in memory, if there is one. */
  peek(workspaceId: string): SnapshotView | undefined;
  /** The view in memory, or else what the store's pointer names. @throws Failure where that cannot be read. */
  open(workspaceId: string): Promise<SnapshotView>;
  /** Looks for newer snapshots of the workspaces in use now, instead of when the timer says so. */
  refresh(): Promise<void>;
  status(): WorkspaceStatus[];
  close(): void;
}

export interface WorkspaceStatus {
  workspaceId: string;
  /** `current`: what the pointer names. `kept`: the last good one, because what it names cannot be read. */
  state: 'current' | 'kept' | 'none';
  asOf: number | null;
}

export interface ViewObserver {
  /** A newer snapshot cannot be read, and the last good one stays in service. Called once per reason. */
  snapshotKept(workspaceId: string, reason: unknown): void;
  /** The pointer names another snapshot, and it is in service now. */
  snapshotChanged(workspaceId: string, snapshotId: string | null): void;
}

export interface ViewOptions {
  /** How often the pointers of workspaces in use are read again. */
  refreshSeconds: number;
  observer: ViewObserver;
  /** The keys of which one must have signed every snapshot; null: signatures are not looked at. */
  trust: Trust | null;
  /** Reads every document of a newer view before it goes into service. @throws where one is not what it should be. */
  prepare(newer: SnapshotView, current: SnapshotView): Promise<void>;
  /** Milliseconds; only differences count. */
  now?: (() => number) | undefined;
}

interface InUse {
  view: SnapshotView;
  /** When it was asked for last. */
  usedAt: number;
  /** Why the view is not the newest; '' while it is. */
  trouble: string;
  failures: number;
  /** Not looked at again before. */
  retryAt: number;
}

/** A workspace without requests for this long is forgotten; its next request reads the pointer. */
const IDLE_MS = 10 * 60_000;
const REFRESHES_AT_ONCE = 8;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Memory is bounded by idleness alone, about 100 bytes for each document of a workspace in use. A view whose successor
 * cannot be read is never forgotten: it could not be read again.
 */
export function snapshotViews(store: ObjectStore, options: ViewOptions): SnapshotViews {
  const { trust, now = () => performance.now() } = options;
  const inUse = new Map<string, InUse>();
  const opening = new Map<string, Promise<SnapshotView>>();

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
    refresh,
    status: () => [...inUse.values()].map(statusOf),
    close: repeat(refresh, options.refreshSeconds * 1000),
  };
}

/** Puts a newer snapshot into service, or notes why the present one stays. */
async function refreshOne(store: ObjectStore, workspace: InUse, options: ViewOptions): Promise<void> {
  const { observer, now = () => performance.now() } = options;
  try {
    const newer = await readNewerView(store, workspace.view, options.trust);
    if (newer !== workspace.view) {
      await options.prepare(newer, workspace.view);
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

/** After the first failure in a row none, then 2, 6, 14 and 30 seconds. */
function pauseAfter(failures: number): number {
  return Math.min(1000 * (2 ** failures - 2), LONGEST_PAUSE_MS);
}

function statusOf({ view, trouble }: InUse): WorkspaceStatus {
  const state = trouble !== '' ? 'kept' : view.pointer === null ? 'none' : 'current';
  return { workspaceId: view.workspaceId, state, asOf: view.asOf };
}
