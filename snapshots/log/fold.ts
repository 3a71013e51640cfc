import { sha256 } from '../../lib/hash.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { decodeEntry, isWorkspaceEntry } from './entries.ts';
import type { LogEntry } from './entries.ts';
import { afterEntry, emptyHistory, encodeHeads, encodeHistory, moveHead } from './history.ts';
import type { History } from './history.ts';

/** What the entries of a log say, checked against its rules. */
export interface Fold {
  /** By workspace. */
  histories: Map<string, History>;
  /** By workspace: the SHA-256 of its newest history. */
  heads: Map<string, string>;
  /** The time of the newest entry. */
  at: string;
}

export function emptyFold(): Fold {
  return { histories: new Map(), heads: new Map(), at: '' };
}

/**
 * Adds an entry.
 * @throws Failure if it breaks a rule: times decrease, or a history, a sequence or heads do not follow from the entries
 * before.
 */
export function foldEntry(fold: Fold, entry: LogEntry, index: number): void {
  try {
    if (entry.at < fold.at) throw new Failure(`its time, ${entry.at}, is before that of the entry before it`);
    fold.at = entry.at;
    if (isWorkspaceEntry(entry)) {
      const { workspaceId } = entry;
      fold.histories.set(
        workspaceId,
        afterEntry(fold.histories.get(workspaceId) ?? emptyHistory(workspaceId), entry),
      );
      moveHead(fold.heads, entry);
    } else if (sha256(encodeHeads(fold.heads)) !== entry.heads)
      throw new Failure('the heads that it names do not follow from the log');
  } catch (error) {
    throw new Failure(`entry ${index} of the log: ${reasonOf(error)}`, { cause: error });
  }
}

/** What all entries of a log say. @throws Failure if one is malformed, or breaks a rule. */
export function foldOf(entries: readonly Buffer[]): Fold {
  const fold = emptyFold();
  for (const [index, bytes] of entries.entries()) foldEntry(fold, decodeEntry(bytes, index), index);
  return fold;
}

/** The newest history of each workspace, with its SHA-256. */
export function encodedHistories(
  histories: ReadonlyMap<string, History>,
): { workspaceId: string; hash: string; bytes: Buffer }[] {
  return [...histories].map(([workspaceId, history]) => {
    const bytes = encodeHistory(history);
    return { workspaceId, hash: sha256(bytes), bytes };
  });
}
