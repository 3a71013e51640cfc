import { Failure } from '../../../lib/failure.ts';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';
import { encodeBundle } from '../entries.ts';
import { tileKey } from '../layout.ts';
import { EMPTY_ROOT, leafHash, rootOf } from './merkle.ts';
import { readBundle, tileReader } from '../read.ts';
import { addedTiles, hashReader, tileOf, tileWidth } from './tiles.ts';
import type { Tile, TileAddress } from './tiles.ts';

export interface TreeState {
  size: number;
  root: Buffer;
}

export const emptyTree: TreeState = { size: 0, root: EMPTY_ROOT };

export interface GrownTree extends TreeState {
  /** The tiles and entry bundles of the larger tree that the smaller one does not have. */
  objects: Entry[];
}

/**
 * The tree with entries added. Reads only the right edge of the old tree; writes nothing.
 * @throws Failure if the store's tiles do not have the old root: a head that extends them must not be signed.
 */
export async function growTree(
  store: ObjectStore,
  before: TreeState,
  entries: readonly Buffer[],
): Promise<GrownTree> {
  const readOld = tileReader(store);
  const found = await rootOf(before.size, hashReader(before.size, readOld));
  if (!found.equals(before.root))
    throw new Failure(`the tiles in ${store.url} are not those of the log's last head: nothing was appended`);
  const size = before.size + entries.length;
  const tiles = await addedTiles(before.size, entries.map(leafHash), readOld);
  const root = await rootOf(size, hashReader(size, readThrough(tiles, readOld)));
  const bundles = await addedBundles(store, before.size, entries);
  const objects = [...tiles, ...bundles].map((tile) => ({ key: tileKey(tile), bytes: tile.bytes }));
  return { size, root, objects };
}

/** Reads new tiles from memory, and unchanged ones from the store. */
function readThrough(
  tiles: readonly Tile[],
  readOld: (address: TileAddress) => Promise<Buffer>,
): (address: TileAddress) => Promise<Buffer> {
  const added = new Map(tiles.map((tile) => [tileKey(tile), tile.bytes]));
  return async (address) => added.get(tileKey(address)) ?? (await readOld(address));
}

async function addedBundles(
  store: ObjectStore,
  oldSize: number,
  entries: readonly Buffer[],
): Promise<Tile[]> {
  const partial = oldSize % tileWidth;
  const firstBundle = Math.floor(oldSize / tileWidth);
  const kept = partial === 0 ? [] : await readBundle(store, firstBundle, oldSize);
  const all = [...kept, ...entries];
  const size = oldSize + entries.length;
  return Array.from({ length: Math.ceil(all.length / tileWidth) }, (_, at) => ({
    ...tileOf(0, (firstBundle + at) * tileWidth, size),
    level: 'entries' as const,
    bytes: encodeBundle(all.slice(at * tileWidth, (at + 1) * tileWidth)),
  }));
}

/** Writes the new objects of a grown tree. @throws Failure if a key has other bytes already. */
export async function writeTree(store: ObjectStore, objects: readonly Entry[]): Promise<void> {
  const created = await store.createMany(objects);
  for (const [at, { key, bytes }] of objects.entries()) {
    if (created[at] === true) continue;
    if ((await store.get(key))?.bytes.equals(bytes) !== true)
      throw new Failure(`${store.url}/${key} does not match the log: it was altered`);
  }
}
