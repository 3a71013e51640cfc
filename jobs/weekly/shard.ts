import { format, parse } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';

/** The `index`-th of `count` parts of the workspaces, 1-based. */
export interface Shard {
  index: number;
  count: number;
}

/**
 * The shard of a job whose number, from 0, is set by the scheduler that started it.
 * @param indexes settings by name; the first that is set counts.
 * @throws Failure if none is set, or the number is too large.
 */
export function indexedShard(indexes: Record<string, number | undefined>, count: number): Shard {
  const those = `--shards ${count} are 0 to ${count - 1}`;
  const [name, index] = Object.entries(indexes).find(([, value]) => value !== undefined) ?? [];
  if (index === undefined)
    throw new Failure(`neither ${Object.keys(indexes).join(' nor ')} is set: ${those}`);
  if (index >= count) throw new Failure(`${name} is ${index}: ${those}`);
  return { index: index + 1, count };
}

/** The metrics file of a shard: `a.prom` is `a-1-of-4.prom`, so that the shards of a machine can share a folder. */
export function shardFile(path: string, { index, count }: Shard): string {
  const { dir, name, ext } = parse(path);
  return format({ dir, base: `${name}-${index}-of-${count}${ext}` });
}

/**
 * A workspace is in one shard of each count, the same on every machine and for good. A shard is an equal range of the hashes
 * of their ids, and so is a run object (jobs/ingest/runs/): most objects are of one shard alone.
 */
export function inShard(workspaceId: string, { index, count }: Shard): boolean {
  const place = parseInt(sha256(workspaceId).slice(0, 12), 16) / 2 ** 48;
  return Math.floor(place * count) === index - 1;
}
