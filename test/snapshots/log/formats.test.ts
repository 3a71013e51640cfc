import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLeaves, edgeAt, emptyEdge, rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import type { Edge } from '../../../snapshots/log/tree/edge.ts';
import {
  EMPTY_ROOT,
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
} from '../../../snapshots/log/tree/merkle.ts';
import { hashReader, tileKey, tileWidth, tilesOf } from '../../../snapshots/log/tree/tiles.ts';
import type { TileAddress } from '../../../snapshots/log/tree/tiles.ts';

/** The definition of RFC 6962, section 2.1, literally. */
function plainRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0]!;
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return nodeHash(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)));
}

/** The definition of c2sp.org/tlog-tiles, Merkle Tree: hash `n` of level `l` is the root of `256 ** l` leaves. */
function plainTile(leaves: readonly Buffer[], { level, index, width }: TileAddress): Buffer {
  const each = tileWidth ** Number(level);
  const hashes = Array.from({ length: width }, (_, at) => (index * tileWidth + at) * each);
  return Buffer.concat(hashes.map((from) => plainRoot(leaves.slice(from, from + each))));
}

const leavesOf = (count: number, name = 'entry') =>
  Array.from({ length: count }, (_, index) => leafHash(Buffer.from(`${name} ${index}`)));

/** A log that grew by batches of these sizes: its edge after each of them, and all tiles of hashes that were written. */
function grow(leaves: readonly Buffer[], batches: readonly number[]) {
  const written = new Map<string, Buffer>();
  const edges: Edge[] = [emptyEdge];
  for (const count of batches) {
    const { size } = edges.at(-1)!;
    const { edge, tiles } = addLeaves(edges.at(-1)!, leaves.slice(size, size + count));
    for (const tile of tiles) written.set(tileKey(tile), Buffer.from(tile.bytes));
    edges.push(edge);
  }
  const readTile = (address: TileAddress) => Promise.resolve(written.get(tileKey(address))!);
  return { edges, written, readTile };
}

const near = (middle: number) => fc.integer({ min: middle - 2, max: middle + 2 });
const batch = fc.oneof(
  fc.integer({ min: 1, max: 600 }),
  near(tileWidth),
  near(2 * tileWidth),
  fc.constant(1),
);

test('a tree that grows by any batches has the roots, tiles and proofs of RFC 6962', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 5 }), fc.nat(), async (batches, at) => {
      const size = batches.reduce((all, count) => all + count, 0);
      const leaves = leavesOf(size);
      const { edges, written, readTile } = grow(leaves, batches);
      const due = new Map<string, Buffer>();
      for (const edge of edges) {
        expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, edge.size)));
        for (const tile of tilesOf(edge.size))
          if (tile.level !== 'entries') due.set(tileKey(tile), plainTile(leaves, tile));
      }
      expect(written).toEqual(due);

      const part = at % (size + 1);
      const edge = await edgeAt(part, size, readTile);
      expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, part)));
      expect(rootOfEdge(addLeaves(edge, leaves.slice(part)).edge)).toEqual(plainRoot(leaves));

      const [read, head, index] = [hashReader(size, readTile), { size, root: plainRoot(leaves) }, at % size];
      const included = await inclusionProof(index, size, read);
      expect(isIncluded(leaves[index]!, index, head, included)).toBe(true);
      expect(isIncluded(leavesOf(1, 'other')[0]!, index, head, included)).toBe(false);
      expect(isIncluded(leaves[index]!, (index + 1) % size, head, included)).toBe(size === 1);
      expect(isIncluded(leaves[index]!, index, head, [...included, head.root])).toBe(false);
      expect(isIncluded(leaves[index]!, index, head, included.slice(1))).toBe(size === 1);
      for (const old of new Set([1, 1 + index, size])) {
        const proof = await consistencyProof(old, size, read);
        const forked = { size: old, root: plainRoot(leavesOf(old, 'forked')) };
        const older = { size: old, root: plainRoot(leaves.slice(0, old)) };
        expect(isConsistent(older, head, proof)).toBe(true);
        expect(isConsistent(forked, head, proof)).toBe(false);
        expect(isConsistent(older, { size, root: forked.root }, proof)).toBe(false);
      }
    }),
    { numRuns: 15 },
  );
});
