import { EMPTY_ROOT, nodeHash } from './merkle.ts';
import { HASH_BYTES, hashesAt, subtreeHash, tileOf, tileWidth } from './tiles.ts';
import type { ReadTile, Tile } from './tiles.ts';

/**
 * The right edge of a tree: all that is needed to add leaves, and to compute the root. A reader that has the edge of a tree and
 * adds the leaves of new entries gets the new root, which proves the entries and that the tree only grew.
 */
export interface Edge {
  size: number;
  /** Of each level of tiles, the hashes of the tile that is not full, concatenated. */
  tiles: readonly Buffer[];
}

export const emptyEdge: Edge = { size: 0, tiles: [] };

/** The edge after these leaves, and the tiles that are new or wider than before. */
export function addLeaves(edge: Edge, leaves: readonly Buffer[]): { edge: Edge; tiles: Tile[] } {
  const size = edge.size + leaves.length;
  const partial = [...edge.tiles];
  const tiles: Tile[] = [];
  let added: readonly Buffer[] = leaves;
  for (let level = 0; added.length > 0; level++) {
    const first = Math.floor(hashesAt(level, edge.size) / tileWidth);
    const all = Buffer.concat([partial[level] ?? Buffer.alloc(0), ...added]);
    const full: Buffer[] = [];
    let at = 0;
    for (; at < all.length; at += tileWidth * HASH_BYTES) {
      const bytes = all.subarray(at, at + tileWidth * HASH_BYTES);
      const index = first + at / (tileWidth * HASH_BYTES);
      tiles.push({ ...tileOf(level, index * tileWidth, size), bytes });
      if (bytes.length === tileWidth * HASH_BYTES) full.push(subtreeHash(bytes, 0, tileWidth));
    }
    const isWhole = all.length % (tileWidth * HASH_BYTES) === 0;
    partial[level] = isWhole ? Buffer.alloc(0) : all.subarray(at - tileWidth * HASH_BYTES);
    added = full;
  }
  return { edge: { size, tiles: partial }, tiles };
}

/** The root (RFC 6962, section 2.1): the complete subtrees from left to right, joined from the right. */
export function rootOfEdge({ tiles }: Edge): Buffer {
  const subtrees = tiles.toReversed().flatMap((tile) => {
    const hashes = tile.length / HASH_BYTES;
    const found: Buffer[] = [];
    let first = 0;
    for (let leaves = tileWidth / 2; leaves >= 1; leaves /= 2) {
      if (first + leaves > hashes) continue;
      found.push(subtreeHash(tile, first, leaves));
      first += leaves;
    }
    return found;
  });
  const last = subtrees.pop();
  return last === undefined ? EMPTY_ROOT : subtrees.reduceRight((right, left) => nodeHash(left, right), last);
}

/** The edge of the first `part` leaves of a tree of `size` leaves: at most one tile of each level. */
export async function edgeAt(part: number, size: number, readTile: ReadTile): Promise<Edge> {
  const levels: Promise<Buffer>[] = [];
  for (let level = 0; hashesAt(level, part) > 0; level++) {
    const hashes = hashesAt(level, part);
    const kept = (hashes % tileWidth) * HASH_BYTES;
    // The tile as it is in the larger tree: the one of the smaller tree may be gone, or was never written.
    levels.push(readTile(tileOf(level, hashes - 1, size)).then((tile) => tile.subarray(0, kept)));
  }
  return { size: part, tiles: await Promise.all(levels) };
}
