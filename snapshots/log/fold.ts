import { sha256 } from '../../lib/hash.ts';
import { Failure, NewerVersion, reasonOf } from '../../lib/failure.ts';
import { decodeEntry, isWorkspaceEntry } from './entries.ts';
import type { LogEntry, NewerEntry, WorkspaceEntry } from './entries.ts';
import { GrowingHistory, emptyHistory, encodeHeads, encodeHistory, moveHead } from './history.ts';
import type { History } from './history.ts';

/** What the entries of a log say, checked against its rules. */
export interface Fold {
  /** By workspace, of which this version knows all entries. */
  histories: Map<string, History>;
  /** By workspace: the SHA-256 of its newest history. */
  heads: Map<string, string>;
  /** The time of the newest entry. */
  at: string;
  /** The time of the newest publication; empty if there is none. */
  publishedAt: string;
  /** What a newer version wrote, in words. */
  newer: string[];
}

/** Reads the entries of a log one after the other. */
export class Folder implements Fold {
  readonly histories = new Map<string, History>();
  readonly heads = new Map<string, string>();
  readonly newer: string[] = [];
  at = '';
  publishedAt = '';
  readonly #growing = new Map<string, GrowingHistory | null>();

  /**
   * Adds an entry.
   * @throws Failure if it breaks a rule: times decrease, or a history, a sequence or heads do not follow from the entries
   * before.
   */
  add(entry: LogEntry | NewerEntry, index: number): void {
    try {
      if (entry.at < this.at)
        throw new Failure(`its time, ${entry.at}, is before that of the entry before it`);
      this.at = entry.at;
      moveHead(this.heads, entry);
      if (entry.kind === 'newer') this.#skip(entry);
      else if (isWorkspaceEntry(entry)) this.#grow(entry);
      else if (sha256(encodeHeads(this.heads)) !== entry.heads)
        throw new Failure('the heads that it names do not follow from the log');
    } catch (error) {
      throw new Failure(`entry ${index} of the log: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** From here on the histories of its workspace cannot be computed. */
  #skip({ workspaceId, unknown }: NewerEntry): void {
    this.newer.push(unknown);
    if (workspaceId === undefined) return;
    this.histories.delete(workspaceId);
    this.#growing.set(workspaceId, null);
  }

  #grow(entry: WorkspaceEntry): void {
    const { workspaceId, snapshotId, history } = entry;
    if (entry.kind === 'published') this.publishedAt = entry.at;
    const known = this.#growing.get(workspaceId);
    if (known === null) return;
    const growing = known ?? new GrowingHistory(emptyHistory(workspaceId));
    growing.add(entry);
    if (growing.sha256() !== history)
      throw new Failure(`the entry of ${snapshotId} names a history that does not follow from the log`);
    this.#growing.set(workspaceId, growing);
    this.histories.set(workspaceId, growing.history);
  }
}

/**
 * What all entries of a log say, for those who write it.
 * @throws Failure if one is malformed, or breaks a rule; NewerVersion if this version does not know one.
 */
export function foldOf(entries: readonly Buffer[]): Fold {
  const fold = new Folder();
  for (const [index, bytes] of entries.entries()) fold.add(decodeEntry(bytes, index), index);
  if (fold.newer.length > 0) throw new NewerVersion('the log', fold.newer[0]!);
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
