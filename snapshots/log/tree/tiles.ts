import { TILES } from '../../layout.ts';
import { nodeHash } from './merkle.ts';
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

export type ReadTile = (address: TileAddress) => Promise<Buffer>;

/** The number of hashes at a level of tiles in a tree of this size. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/** The tile that contains a hash of a level, with its width in a tree of this size. */
export function tileOf(level: number, hash: number, size: number): TileAddress {
  const index = Math.floor(hash / tileWidth);
  return { level, index, width: Math.min(tileWidth, hashesAt(level, size) - index * tileWidth) };
}

/** The bundle that contains an entry, with its width in a tree of this size. */
export function bundleOf(entry: number, size: number): TileAddress & { level: 'entries' } {
  return { ...tileOf(0, entry, size), level: 'entries' };
}

/** The addresses of all tiles of hashes of a tree of this size. */
export function* tilesOf(size: number): Generator<TileAddress> {
  for (let level = 0; hashesAt(level, size) > 0; level++)
    for (let hash = 0; hash < hashesAt(level, size); hash += tileWidth) yield tileOf(level, hash, size);
}

/** `tile/0/x001/234` or, before it is full, `tile/0/x001/234.p/17`. For entry bundles the level is `entries`. */
export function tileKey({ level, index, width }: TileAddress): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${TILES}${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

const TILE = /^log\/tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** The address of a tile or entry bundle; null if the key is not that of one. */
export function tileOfKey(key: string): TileAddress | null {
  const [, level, path, width = String(tileWidth)] = TILE.exec(key) ?? [];
  if (level === undefined || path === undefined) return null;
  const index = Number(path.replaceAll(/[x/]/g, ''));
  const address = {
    level: level === 'entries' ? level : Number(level),
    index,
    width: Number(width),
  } as const;
  return tileKey(address) === key ? address : null;
}

/** Reads the hashes of a tree of this size from its tiles; each tile is read once. */
export function hashReader(size: number, readTile: ReadTile): ReadHash {
  const tiles = new Map<string, Promise<Buffer>>();
  const tileAt = async (level: number, hash: number) => {
    const address = tileOf(level, hash, size);
    const name = `${address.level}/${address.index}`;
    return await tiles.getOrInsertComputed(name, async () => await readTile(address));
  };
  return async (level, index) => {
    const tileLevel = Math.floor(level / 8);
    const leaves = 2 ** (level % 8);
    const first = index * leaves;
    const tile = await tileAt(tileLevel, first);
    return subtreeHash(tile, first % tileWidth, leaves);
  };
}

export function subtreeHash(tile: Buffer, first: number, leaves: number): Buffer {
  if (leaves === 1) return tile.subarray(first * HASH_BYTES, (first + 1) * HASH_BYTES);
  const halfOf = leaves / 2;
  return nodeHash(subtreeHash(tile, first, halfOf), subtreeHash(tile, first + halfOf, halfOf));
}
