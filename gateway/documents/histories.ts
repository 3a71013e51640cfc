import { LRUCache } from 'lru-cache';
import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey } from '../../snapshots/layout.ts';
import { decodeHistory, emptyHistory } from '../../snapshots/log/history.ts';
import type { History } from '../../snapshots/log/history.ts';
import { readNamed } from '../../snapshots/read.ts';
import { sharedLoads } from './shared-loads.ts';

/** Names a history: that of a workspace up to some entry of the log. `historySha256` is null if the log has none. */
export interface HistoryName {
  workspaceId: string;
  historySha256: string | null;
}

/** The publications of workspaces. They never change: a new publication gives a history with another name. */
export interface Histories {
  peek(name: HistoryName): History | undefined;
  /** From memory, or with one read of the store. @throws Failure if the history cannot be read. */
  read(name: HistoryName): Promise<History>;
}

/** Some 30 MB: all workspaces with two years each would take more than their documents. */
const PUBLICATIONS_IN_MEMORY = 100_000;

export function histories(store: ObjectStore): Histories {
  const kept = new LRUCache<string, History>({
    maxSize: PUBLICATIONS_IN_MEMORY,
    sizeCalculation: ({ publications }) => publications.length,
  });
  const readOnce = sharedLoads<History>();
  const peek = ({ workspaceId, historySha256 }: HistoryName) =>
    historySha256 === null ? emptyHistory(workspaceId) : kept.get(historySha256);
  return {
    peek,
    async read(name) {
      const { workspaceId, historySha256 } = name;
      const known = peek(name);
      if (known !== undefined) return known;
      return await readOnce(historySha256!, async () => {
        const key = historyKey(workspaceId, historySha256!);
        const bytes = await readNamed(store, key, historySha256!, 'the log');
        const history = decodeHistory(bytes, workspaceId, `${store.url}/${key}`);
        kept.set(historySha256!, history);
        return history;
      });
    },
  };
}
