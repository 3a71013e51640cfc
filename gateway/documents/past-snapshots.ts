import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import type { Snapshots } from '../../lib/history/schemas.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { PastSnapshot } from '../../snapshots/manifest.ts';
import { readEarlier, readPrunedIds } from '../../snapshots/read.ts';
import { sharedLoads } from './shared-loads.ts';
import type { SnapshotView } from './snapshot-view.ts';

export interface ServedSnapshot extends PastSnapshot {
  /** When it was published, as an HTTP date. */
  lastModified: string;
}

/** All snapshots of a workspace up to the one in service. */
export interface History {
  view: SnapshotView;
  /** By snapshot id, oldest first. */
  snapshots: ReadonlyMap<string, ServedSnapshot>;
  /** Ids of pruned snapshots, whose documents were removed on purpose. */
  pruned: ReadonlySet<string>;
  /** SHA-256 of the bytes of {@link listOf}. */
  listSha256: string;
}

/** The histories of workspaces whose history was requested recently. */
export interface Histories {
  /** The history up to this view, if it is in memory. */
  peek(view: SnapshotView): History | undefined;
  /** From memory, or else with two reads of the store. @throws Failure if the history cannot be read. */
  open(view: SnapshotView): Promise<History>;
  /** Reads again which snapshots were pruned. @throws Failure if the store does not respond. */
  renew(history: History): Promise<History>;
  /** Renews all histories in use and forgets the others. If the store does not respond, nothing changes. */
  refresh(): Promise<void>;
}

/** Some 30 MB. */
const SNAPSHOTS_IN_MEMORY = 50_000;
/** A history that was not requested for this long is forgotten. */
const IDLE_MS = 10 * 60_000;
const RENEWALS_AT_ONCE = 8;

/** @param now a clock in milliseconds; only differences matter */
export function histories(store: ObjectStore, now: () => number): Histories {
  const inUse = new LRUCache<string, { history: History; usedAt: number }>({
    maxSize: SNAPSHOTS_IN_MEMORY,
    sizeCalculation: ({ history }) => 1 + history.snapshots.size,
  });
  const readOnce = sharedLoads<History>();

  const peek = (view: SnapshotView): History | undefined => {
    const known = inUse.get(view.workspaceId);
    if (known === undefined || manifestHashOf(known.history.view) !== manifestHashOf(view)) return undefined;
    known.usedAt = now();
    return known.history;
  };

  const keep = (history: History, usedAt: number): History => {
    inUse.set(history.view.workspaceId, { history, usedAt });
    return history;
  };

  const renew = async (history: History, usedAt: number): Promise<History> => {
    const { view, snapshots } = history;
    const pruned = await readPrunedIds(store, view.workspaceId);
    const isTheSame = pruned.size === history.pruned.size;
    return isTheSame ? history : keep(historyOf(view, snapshots, pruned), usedAt);
  };

  const tryToRenew = async ({ history, usedAt }: { history: History; usedAt: number }) =>
    void (await renew(history, usedAt).catch(() => undefined)); // the pointers' refresh reports it

  return {
    peek,
    renew: (history) => renew(history, now()),
    async open(view) {
      const known = peek(view);
      if (known !== undefined) return known;
      const name = `${view.workspaceId} ${manifestHashOf(view)}`;
      return await readOnce(name, async () => keep(await read(store, view), now()));
    },
    async refresh() {
      const before = now() - IDLE_MS;
      for (const [id, { usedAt }] of inUse.entries()) if (usedAt < before) inUse.delete(id);
      await pMap([...inUse.values()], tryToRenew, { concurrency: RENEWALS_AT_ONCE });
    },
  };
}

function manifestHashOf({ pointer }: SnapshotView): string {
  return pointer?.manifestSha256 ?? '';
}

async function read(store: ObjectStore, view: SnapshotView): Promise<History> {
  const { workspaceId, newest } = view;
  if (newest === null) return historyOf(view, new Map(), new Set());
  const { summary, history } = newest;
  const [earlier, pruned] = await Promise.all([
    readEarlier(store, { workspaceId, snapshotId: summary.snapshotId, history }),
    readPrunedIds(store, workspaceId),
  ]);
  const all = [...earlier, summary].map((snapshot) => ({
    ...snapshot,
    lastModified: new Date(snapshot.publishedAt).toUTCString(),
  }));
  return historyOf(view, new Map(all.map((snapshot) => [snapshot.snapshotId, snapshot])), pruned);
}

function historyOf(
  view: SnapshotView,
  snapshots: ReadonlyMap<string, ServedSnapshot>,
  pruned: ReadonlySet<string>,
): History {
  return { view, snapshots, pruned, listSha256: sha256(listOf({ view, snapshots, pruned })) };
}

/** The response body of `listSnapshots`. */
export function listOf({ view, snapshots, pruned }: Omit<History, 'listSha256'>): Buffer {
  const data: Snapshots = [...snapshots.values()].toReversed().map((snapshot) => ({
    id: snapshot.snapshotId,
    sequence: snapshot.sequence,
    asOf: snapshot.asOf,
    publishedAt: snapshot.publishedAt,
    methodologyVersion: snapshot.methodologyVersion,
    brands: snapshot.brands,
    isCurrent: snapshot.snapshotId === view.pointer?.snapshotId,
    isPruned: pruned.has(snapshot.snapshotId),
    isSigned: snapshot.signedBy !== null,
  }));
  return Buffer.from(`${JSON.stringify({ data })}\n`);
}
