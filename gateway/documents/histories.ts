import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey } from '../../snapshots/layout.ts';
import { decodeHistory, emptyHistory } from '../../snapshots/log/history.ts';
import type { History } from '../../snapshots/log/history.ts';
import { readNamed } from '../../snapshots/read.ts';

/** Names a history: that of a workspace up to some entry of the log. `historySha256` is null if the log has none. */
export interface HistoryName {
  workspaceId: string;
  historySha256: string | null;
}

/**
 * Reads the publications of a workspace, from memory or with one read of the store. They never change: a new publication
 * gives a history with another name.
 * @throws Failure if the history cannot be read
 */
export type ReadHistory = (name: HistoryName) => Promise<History>;

/** Some 30 MB: all workspaces with two years each would take more than their documents. */
const PUBLICATIONS_IN_MEMORY = 100_000;

export function historyReader(store: ObjectStore): ReadHistory {
  const kept = new LRUCache<string, History, string>({
    maxSize: PUBLICATIONS_IN_MEMORY,
    sizeCalculation: ({ publications }) => publications.length,
    ignoreFetchAbort: true, // one that is evicted while it is read is returned too
    async fetchMethod(hash, _stale, { context: workspaceId }) {
      const key = historyKey(workspaceId, hash);
      const bytes = await readNamed(store, key, hash, 'the log');
      return decodeHistory(bytes, workspaceId, `${store.url}/${key}`);
    },
  });
  return async ({ workspaceId, historySha256 }) =>
    historySha256 === null
      ? emptyHistory(workspaceId)
      : await kept.forceFetch(historySha256, { context: workspaceId });
}
