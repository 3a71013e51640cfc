import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';

/** The `index`-th of `count` parts of the workspaces, 1-based. */
export interface Shard {
  index: number;
  count: number;
}

/** Reads `I/N`; null where it is none. */
export function parseShard(text: string): Shard | null {
  const match = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text);
  if (match === null) return null;
  const [index, count] = [Number(match[1]), Number(match[2])];
  return index <= count ? { index, count } : null;
}

/**
 * The shard of a job that is told its number, from 0, by whatever started it.
 * @throws Failure where it was not told, or there are not so many.
 */
export function indexedShard(completionIndex: number | undefined, count: number): Shard {
  const those = `--shards ${count} are 0 to ${count - 1}`;
  if (completionIndex === undefined) throw new Failure(`JOB_COMPLETION_INDEX is not set: ${those}`);
  if (completionIndex >= count) throw new Failure(`JOB_COMPLETION_INDEX is ${completionIndex}: ${those}`);
  return { index: completionIndex + 1, count };
}

/** A workspace is in one shard of each count, the same on every machine and for good: by the hash of its id. */
export function inShard(workspaceId: string, { index, count }: Shard): boolean {
  return parseInt(sha256(workspaceId).slice(0, 12), 16) % count === index - 1;
}
