import pMap from 'p-map';
import type { ObjectStore } from '../../lib/store/store.ts';
import { decodeEntry } from './entries.ts';
import type { LogEntry } from './entries.ts';
import { KEPT_CHECKPOINTS } from './layout.ts';
import type { TreeHead } from './notes/checkpoint.ts';
import { readBundle } from './read.ts';
import { tileWidth } from './tree/tiles.ts';

const READS_AT_ONCE = 16;

export interface FoundEntry {
  index: number;
  bytes: Buffer;
}

/**
 * Finds an entry of the log, without verifying its hashes; null if the log does not contain it. Each append sorts its
 * entries by publication time and keeps its checkpoint, so this is a binary search within the appends whose times
 * include the entry's. It takes two reads per append and a few more; reading a whole log of a million entries from S3
 * would take minutes.
 * @throws Failure if an entry cannot be read.
 */
export async function findEntry(
  store: ObjectStore,
  { size }: Pick<TreeHead, 'size'>,
  wanted: Omit<LogEntry, 'sequence'>,
): Promise<FoundEntry | null> {
  const at = entryReader(store, size);
  const timeOf = async (index: number) => (await at(index)).entry.publishedAt;
  const time = wanted.publishedAt;
  const appends = await appendsOf(store, size);
  const including = await pMap(
    appends,
    async ({ from, to }) => (await timeOf(from)) <= time && time <= (await timeOf(to - 1)),
    { concurrency: READS_AT_ONCE },
  );
  for (const { from, to } of appends.filter((_, n) => including[n]!)) {
    let index = await firstIn(from, to, async (each) => (await timeOf(each)) >= time);
    for (; index < to; index++) {
      const { entry, bytes } = await at(index);
      if (entry.publishedAt > time) break;
      if (entry.workspaceId === wanted.workspaceId && entry.manifestSha256 === wanted.manifestSha256)
        return { index, bytes };
    }
  }
  return null;
}

/** The entries that each append added: from one size of the log to the next. */
async function appendsOf(store: ObjectStore, size: number): Promise<{ from: number; to: number }[]> {
  const sizes = new Set([0, size]);
  for await (const { key } of store.list(KEPT_CHECKPOINTS)) {
    const kept = Number(key.slice(KEPT_CHECKPOINTS.length)); // NaN for a time stamp
    if (kept < size) sizes.add(kept);
  }
  const ascending = [...sizes].toSorted((a, b) => a - b);
  return ascending.slice(1).map((to, n) => ({ from: ascending[n]!, to }));
}

/**
 * Binary search: the first number in `from`…`to` for which the condition is true, and stays true; `to` if there is
 * none.
 */
async function firstIn(
  from: number,
  to: number,
  isTrue: (index: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = low + ((high - low) >> 1);
    if (await isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Reads entries and caches their bundles: neighbouring entries are in the same one. */
function entryReader(store: ObjectStore, size: number) {
  const bundles = new Map<number, Promise<Buffer[]>>();
  return async (index: number): Promise<{ entry: LogEntry; bytes: Buffer }> => {
    const number = Math.floor(index / tileWidth);
    const reading = bundles.get(number) ?? readBundle(store, number, size);
    bundles.set(number, reading);
    const bytes = (await reading)[index % tileWidth]!;
    return { entry: decodeEntry(bytes, `entry ${index} of the log`), bytes };
  };
}
