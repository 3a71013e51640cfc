import { EMPTY_ROOT, leafHash, nodeHash } from '../../../snapshots/log/tree/merkle.ts';

/** The definition of RFC 6962, section 2.1, literally: the reference for the real tree. */
export function plainRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return nodeHash(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)));
}

export function entriesOf(count: number, name = 'entry'): Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`${name} ${index}`));
}

export function leavesOf(count: number, name?: string): Buffer[] {
  return entriesOf(count, name).map(leafHash);
}
