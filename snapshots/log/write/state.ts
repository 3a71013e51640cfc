import { Failure, NewerVersion, handleDamage } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { readHeads, readHistory } from '../follow.ts';
import { emptyHistory, encodeHistory } from '../history.ts';
import type { Heads, History } from '../history.ts';
import { withCommitted } from './committed.ts';
import type { StoredCommitted } from './committed.ts';

/** What is committed now. Heads and histories are read from the store, and must have the hashes that the lake remembers. */
export interface LogState {
  committed: StoredCommitted | null;
  heads: Heads;
  /** Empty for a workspace that was never published. @throws Failure that names the repair if it is damaged. */
  historyOf(workspaceId: string): Promise<History>;
}

/** @throws Failure that names the repair if the heads are damaged. */
export async function readLogState(store: ObjectStore, committed: StoredCommitted | null): Promise<LogState> {
  const heads: Heads =
    committed === null ? new Map() : await orRepair(async () => await readHeads(store, committed.heads));
  const historyOf = async (workspaceId: string) => {
    const history = await orRepair(async () => await readHistory(store, { heads }, workspaceId));
    if (history === null) return emptyHistory(workspaceId);
    // What this version does not know would be lost in the next history.
    if (sha256(encodeHistory(history)) !== heads.get(workspaceId))
      throw new NewerVersion(`the history of workspace ${workspaceId}`, 'unknown fields');
    return history;
  };
  return { committed, heads, historyOf };
}

async function orRepair<T>(read: () => Promise<T>): Promise<T> {
  return await handleDamage(read, (cause) => {
    throw new Failure(`${cause.message}: "audit log complete" writes it again`, { cause });
  });
}

/** Does something with what is committed; a commit that is made meanwhile is no failure. */
export async function withState<T>(
  parts: { store: ObjectStore; lake: ObjectStore; origin: string },
  work: (state: LogState) => Promise<T>,
): Promise<T> {
  return await withCommitted(
    parts,
    async (committed) => await work(await readLogState(parts.store, committed)),
  );
}
