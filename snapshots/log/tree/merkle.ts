import { createHash } from 'node:crypto';

/** The Merkle tree of RFC 6962, section 2.1, over SHA-256. */

export const EMPTY_ROOT = createHash('sha256').digest();

export function leafHash(entry: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(entry).digest();
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}

/** The hash of the complete subtree of `2 ** level` leaves whose first leaf is `index * 2 ** level`. */
export type ReadHash = (level: number, index: number) => Promise<Buffer>;

/** PATH of section 2.1.1: the siblings from the leaf up. */
export async function inclusionProof(index: number, size: number, read: ReadHash): Promise<Buffer[]> {
  const path = async (from: number, to: number): Promise<Buffer[]> => {
    if (to - from === 1) return [];
    const middle = from + largestPowerBelow(to - from);
    return index < middle
      ? [...(await path(from, middle)), await rangeHash(middle, to, read)]
      : [...(await path(middle, to)), await rangeHash(from, middle, read)];
  };
  return await path(0, size);
}

/** PROOF of section 2.1.2, that the first `old` leaves of `size`, at least one, are those of the older tree. */
export async function consistencyProof(old: number, size: number, read: ReadHash): Promise<Buffer[]> {
  const subproof = async (from: number, to: number, isWhole: boolean): Promise<Buffer[]> => {
    if (old === to) return isWhole ? [] : [await rangeHash(from, to, read)];
    const middle = from + largestPowerBelow(to - from);
    return old <= middle
      ? [...(await subproof(from, middle, isWhole)), await rangeHash(middle, to, read)]
      : [...(await subproof(middle, to, false)), await rangeHash(from, middle, read)];
  };
  return await subproof(0, size, true);
}

/** True if the proof leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function isIncluded(
  leaf: Buffer,
  index: number,
  { size, root }: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (index < 0 || index >= size) return false;
  let [position, last, hash] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else hash = nodeHash(hash, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && hash.equals(root);
}

/** True if the proof shows that the newer tree extends the older one (RFC 9162, section 2.1.4.2). */
export function isConsistent(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  const hashes = isPowerOfTwo(older.size) ? [older.root, ...proof] : [...proof];
  let [position, last] = [older.size - 1, newer.size - 1];
  while (position % 2 === 1) [position, last] = [half(position), half(last)];
  const first = hashes.shift();
  if (first === undefined) return false;
  let [oldHash, newHash] = [first, first];
  for (const sibling of hashes) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      [oldHash, newHash] = [nodeHash(sibling, oldHash), nodeHash(sibling, newHash)];
      while (position % 2 === 0 && position !== 0) [position, last] = [half(position), half(last)];
    } else newHash = nodeHash(newHash, sibling);
    [position, last] = [half(position), half(last)];
  }
  return last === 0 && oldHash.equals(older.root) && newHash.equals(newer.root);
}

async function rangeHash(from: number, to: number, read: ReadHash): Promise<Buffer> {
  const leaves = to - from;
  if (isPowerOfTwo(leaves) && from % leaves === 0) return await read(Math.log2(leaves), from / leaves);
  const middle = from + largestPowerBelow(leaves);
  return nodeHash(await rangeHash(from, middle, read), await rangeHash(middle, to, read));
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function isPowerOfTwo(count: number): boolean {
  return 2 ** Math.round(Math.log2(count)) === count;
}

function half(count: number): number {
  return Math.floor(count / 2);
}
