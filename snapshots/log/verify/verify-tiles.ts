import pMap from 'p-map';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Reporter } from '../../verify/findings.ts';
import { orNull } from '../../verify/workspace/inventory.ts';
import { decodeBundle } from '../entries.ts';
import { TILES, tileKey, tileOfKey } from '../layout.ts';
import { leafHash } from '../tree/merkle.ts';
import { tileWidth } from '../tree/tiles.ts';
import type { GrowingTree, TileAddress } from '../tree/tiles.ts';

const READS_AT_ONCE = 16;

/**
 * Compares every tile and every entry bundle in the store with the tree of the entries. The root needs few of them:
 * proofs need the others, and readers with an earlier checkpoint those of an earlier size.
 */
export async function checkTiles(store: ObjectStore, tree: GrowingTree, report: Reporter): Promise<void> {
  const listed = new Set<string>();
  for await (const { key } of store.list(TILES)) if (tileOfKey(key) !== null) listed.add(key);
  const beyond: string[] = [];
  await pMap(
    listed,
    async (key) => {
      const address = tileOfKey(key)!;
      const { level, index, width } = address;
      const hashes = tree.tile(level === 'entries' ? 0 : level, index, width);
      if (hashes === null) beyond.push(key);
      else if (!(await hasHashes(store, key, address, hashes)))
        report.problem('log_damaged', [key], 'this tile does not match the entries of the log');
    },
    { concurrency: READS_AT_ONCE },
  );
  for (const address of tree.tiles()) {
    const isThere = [address.width, tileWidth].some((width) => listed.has(tileKey({ ...address, width })));
    if (!isThere) report.problem('log_damaged', [tileKey(address)], 'this tile of the log is missing');
  }
  if (beyond.length > 0)
    report.note('append_unfinished', beyond.toSorted(), `${beyond.length} tiles beyond the head of the log`);
}

async function hasHashes(
  store: ObjectStore,
  key: string,
  { level, width }: TileAddress,
  hashes: Buffer,
): Promise<boolean> {
  const object = await store.get(key);
  if (object === null) return true; // removed since it was listed
  if (level !== 'entries') return object.bytes.equals(hashes);
  const entries = orNull(() => decodeBundle(object.bytes, width, key));
  return entries !== null && Buffer.concat(entries.map(leafHash)).equals(hashes);
}
