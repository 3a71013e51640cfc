import { EMPTY_ROOT, leafHash, nodeHash } from '../../../snapshots/log/tree/merkle.ts';
import { tileWidth } from '../../../snapshots/log/tree/tiles.ts';
import type { TileAddress } from '../../../snapshots/log/tree/tiles.ts';

/** The definition of RFC 6962, section 2.1, literally: the reference for the real tree. */
export function plainRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return nodeHash(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)));
}

/** The definition of c2sp.org/tlog-tiles, Merkle Tree: hash `n` of level `l` is the root of `256 ** l` leaves. */
export function plainTile(leaves: readonly Buffer[], { level, index, width }: TileAddress): Buffer {
  const each = tileWidth ** Number(level);
  const hashes = Array.from({ length: width }, (_, at) => (index * tileWidth + at) * each);
  return Buffer.concat(hashes.map((from) => plainRoot(leaves.slice(from, from + each))));
}

export function leavesOf(count: number, name = 'entry'): Buffer[] {
  return Array.from({ length: count }, (_, index) => leafHash(Buffer.from(`${name} ${index}`)));
}
