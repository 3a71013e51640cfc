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

/** PATH of section 2.1.1, the siblings from a leaf up, and the root that they lead to. */
export async function proveInclusion(
  leaf: Buffer,
  index: number,
  size: number,
  read: ReadHash,
): Promise<{ proof: Buffer[]; root: Buffer }> {
  const path = async (from: number, to: number): ReturnType<typeof proveInclusion> => {
    if (to - from === 1) return { proof: [], root: leaf };
    const middle = from + largestPowerBelow(to - from);
    if (index < middle) {
      const [left, right] = [await path(from, middle), await rangeHash(middle, to, read)];
      return { proof: [...left.proof, right], root: nodeHash(left.root, right) };
    }
    const [left, right] = [await rangeHash(from, middle, read), await path(middle, to)];
    return { proof: [...right.proof, left], root: nodeHash(left, right.root) };
  };
  return await path(0, size);
}

/**
 * The roots of the first `part` leaves, at least one, and of all `size` leaves, from the hashes of a consistency proof
 * (section 2.1.2): if both are as expected, the larger tree begins with the smaller one.
 */
export async function readRoots(
  part: number,
  size: number,
  read: ReadHash,
): Promise<{ part: Buffer; whole: Buffer }> {
  const roots = async (from: number, to: number): ReturnType<typeof readRoots> => {
    if (part === to) {
      const hash = await rangeHash(from, to, read);
      return { part: hash, whole: hash };
    }
    const middle = from + largestPowerBelow(to - from);
    if (part <= middle) {
      const [left, right] = [await roots(from, middle), await rangeHash(middle, to, read)];
      return { part: left.part, whole: nodeHash(left.whole, right) };
    }
    const [left, right] = [await rangeHash(from, middle, read), await roots(middle, to)];
    return { part: nodeHash(left, right.part), whole: nodeHash(left, right.whole) };
  };
  return await roots(0, size);
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
