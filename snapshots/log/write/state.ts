import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { lakeHeadsKey, lakeHistoryKey } from '../../layout.ts';
import { readNamed } from '../../read.ts';
import { decodeHeads, decodeHistory, emptyHistory } from '../history.ts';
import type { Heads, History } from '../history.ts';
import { withCommitted } from './committed.ts';
import type { Committed, StoredCommitted } from './committed.ts';

/** What is committed now. The lake keeps copies of heads and histories, so a publication reads nothing from the store. */
export interface LogState {
  committed: StoredCommitted | null;
  heads: Heads;
  /** Empty for a workspace that was never published. */
  historyOf(workspaceId: string): Promise<History>;
}

export async function readState(
  lake: ObjectStore,
  origin: string,
  committed: StoredCommitted | null,
): Promise<LogState> {
  const heads = committed === null ? new Map<string, string>() : await copiedHeads(lake, committed);
  return { committed, heads, historyOf: historyReader(lake, origin, heads) };
}

export function historyReader(lake: ObjectStore, origin: string, heads: Heads): LogState['historyOf'] {
  return async (workspaceId) => {
    const hash = heads.get(workspaceId);
    if (hash === undefined) return emptyHistory(workspaceId);
    const key = lakeHistoryKey(origin, hash);
    return decodeHistory(await readNamed(lake, key, hash, 'the log'), workspaceId, `${lake.url}/${key}`);
  };
}

/** Does something with what is committed; a commit that replaces a history meanwhile is no failure. */
export async function withState<T>(
  parts: { lake: ObjectStore; origin: string },
  work: (state: LogState) => Promise<T>,
): Promise<T> {
  return await withCommitted(
    parts,
    async (committed) => await work(await readState(parts.lake, parts.origin, committed)),
  );
}

export async function copiedHeads(
  lake: ObjectStore,
  { checkpoint, heads }: Pick<Committed, 'checkpoint' | 'heads'>,
): Promise<Map<string, string>> {
  const key = lakeHeadsKey(checkpoint.origin, heads);
  return decodeHeads(await readNamed(lake, key, heads, 'the last commit'), `${lake.url}/${key}`);
}

/** Drops copies that newer ones replaced. What a reader still needs is in the store. */
export async function dropCopies(
  lake: ObjectStore,
  origin: string,
  histories: Iterable<string>,
  heads: string | null,
): Promise<void> {
  const keys = [...new Set(histories)].map((hash) => lakeHistoryKey(origin, hash));
  if (heads !== null) keys.push(lakeHeadsKey(origin, heads));
  await manyAtOnce(keys, async (key) => await lake.delete(key));
}
