import { nodeHash, rootOf } from './merkle.ts';
import type { ReadHash } from './merkle.ts';

/** Hashes, or entries, in a full tile (c2sp.org/tlog-tiles). */
export const tileWidth = 256;
export const HASH_BYTES = 32;

export interface TileAddress {
  level: number | 'entries';
  index: number;
  /** The number of hashes or entries, 1 to 256. */
  width: number;
}

/** A tile with its bytes: the concatenated hashes. */
export interface Tile extends TileAddress {
  bytes: Buffer;
}

/** The number of hashes at a level of tiles in a tree of this size. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** The tile that contains a hash of a level, with its width in a tree of this size. */
export function tileOf(level: number, hash: number, size: number): TileAddress {
  const index = Math.floor(hash / tileWidth);
  return { level, index, width: Math.min(tileWidth, hashesAt(level, size) - index * tileWidth) };
}

/** Reads the hashes of a tree of this size from its tiles; each tile is read once. */
export function hashReader(size: number, readTile: (address: TileAddress) => Promise<Buffer>): ReadHash {
  const tiles = new Map<string, Promise<Buffer>>();
  const tileAt = async (level: number, hash: number) => {
    const address = tileOf(level, hash, size);
    const name = `${address.level}/${address.index}`;
    const known = tiles.get(name) ?? readTile(address);
    tiles.set(name, known);
    return await known;
  };
  return async (level, index) => {
    const tileLevel = Math.floor(level / 8);
    const leaves = 2 ** (level % 8);
    const first = index * leaves;
    const tile = await tileAt(tileLevel, first);
    return subtreeHash(tile, first % tileWidth, leaves);
  };
}

function subtreeHash(tile: Buffer, first: number, leaves: number): Buffer {
  if (leaves === 1) return tile.subarray(first * HASH_BYTES, (first + 1) * HASH_BYTES);
  const halfOf = leaves / 2;
  return nodeHash(subtreeHash(tile, first, halfOf), subtreeHash(tile, first + halfOf, halfOf));
}

/**
 * The tiles that change when leaves are added: all that are new or wider than before.
 * @param readTile reads the tiles of the old tree
 */
export async function addedTiles(
  oldSize: number,
  leaves: readonly Buffer[],
  readTile: (address: TileAddress) => Promise<Buffer>,
): Promise<Tile[]> {
  const size = oldSize + leaves.length;
  const tiles: Tile[] = [];
  let added: readonly Buffer[] = leaves;
  for (let level = 0; added.length > 0; level++) {
    const before = hashesAt(level, oldSize);
    const partial = before % tileWidth;
    const kept = partial === 0 ? Buffer.alloc(0) : await readTile(tileOf(level, before - 1, oldSize));
    const all = Buffer.concat([kept, ...added]);
    const full: Buffer[] = [];
    for (let at = 0; at * tileWidth * HASH_BYTES < all.length; at++) {
      const bytes = all.subarray(at * tileWidth * HASH_BYTES, (at + 1) * tileWidth * HASH_BYTES);
      const index = Math.floor(before / tileWidth) + at;
      tiles.push({ ...tileOf(level, index * tileWidth, size), bytes });
      if (bytes.length === tileWidth * HASH_BYTES) full.push(subtreeHash(bytes, 0, tileWidth));
    }
    added = full;
  }
  return tiles;
}

/** A tree computed leaf by leaf, with all its tiles in memory: 32 bytes per leaf. */
export interface GrowingTree {
  add(leaf: Buffer): void;
  /** The hashes of a tile; null if the tree is too small for its width. */
  tile(level: number, index: number, width: number): Buffer | null;
  /** The addresses of the tiles, each as wide as it is by now. */
  tiles(): { level: number; index: number; width: number }[];
  /** The root of the first `size` leaves. */
  root(size: number): Promise<Buffer>;
}

export function growingTree(): GrowingTree {
  const levels: { tiles: Buffer[]; hashes: number }[] = [];
  const add = (level: number, hash: Buffer): void => {
    const at = (levels[level] ??= { tiles: [], hashes: 0 });
    const place = at.hashes % tileWidth;
    if (place === 0) at.tiles.push(Buffer.alloc(tileWidth * HASH_BYTES));
    const tile = at.tiles.at(-1)!;
    hash.copy(tile, place * HASH_BYTES);
    at.hashes += 1;
    if (at.hashes % tileWidth === 0) add(level + 1, subtreeHash(tile, 0, tileWidth));
  };
  const tile: GrowingTree['tile'] = (level, index, width) =>
    (levels[level]?.hashes ?? 0) < index * tileWidth + width
      ? null
      : levels[level]!.tiles[index]!.subarray(0, width * HASH_BYTES);
  return {
    add: (leaf) => add(0, leaf),
    tile,
    tiles: () =>
      levels.flatMap(({ tiles, hashes }, level) =>
        tiles.map((_, index) => ({ level, index, width: Math.min(tileWidth, hashes - index * tileWidth) })),
      ),
    root: async (size) =>
      await rootOf(
        size,
        hashReader(size, async ({ level, index, width }) => tile(Number(level), index, width)!),
      ),
  };
}
