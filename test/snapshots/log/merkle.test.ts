import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLeaves, edgeAt, emptyEdge, rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import type { Edge } from '../../../snapshots/log/tree/edge.ts';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
} from '../../../snapshots/log/tree/merkle.ts';
import { hashReader, tileKey, tileWidth, tilesOf } from '../../../snapshots/log/tree/tiles.ts';
import type { TileAddress } from '../../../snapshots/log/tree/tiles.ts';
import { expectedTileKeys } from './expected-tiles.ts';
import { leavesOf, plainRoot, plainTile } from './trees.ts';

const nameOf = ({ level, index, width }: TileAddress) => `${level}/${index}/${width}`;
const hashTilesOf = (size: number) => [...tilesOf(size)].filter(({ level }) => level !== 'entries');

/** A log that grew by batches of these sizes: its edge after each of them, and all tiles that were written. */
function grow(leaves: readonly Buffer[], batches: readonly number[]) {
  const written = new Map<string, Buffer>();
  const edges: Edge[] = [emptyEdge];
  for (const count of batches) {
    const { size } = edges.at(-1)!;
    const { edge, tiles } = addLeaves(edges.at(-1)!, leaves.slice(size, size + count));
    for (const tile of tiles) {
      expect(written.has(nameOf(tile))).toBe(false);
      written.set(nameOf(tile), Buffer.from(tile.bytes));
    }
    edges.push(edge);
  }
  const { size } = edges.at(-1)!;
  const readTile = (address: TileAddress) => Promise.resolve(written.get(nameOf(address))!);
  return { size, edges, written, readTile, read: hashReader(size, readTile) };
}

const near = (middle: number) => fc.integer({ min: middle - 2, max: middle + 2 });
const batch = fc.oneof(
  fc.integer({ min: 1, max: 600 }),
  near(tileWidth),
  near(2 * tileWidth),
  fc.constant(1),
);
const batches = fc.array(batch, { minLength: 1, maxLength: 5 });
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

test('a tree that grows by any batches has the roots and tiles of RFC 6962', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (counts) => {
      const leaves = leavesOf(sum(counts));
      const { edges, written } = grow(leaves, counts);
      for (const edge of edges) expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, edge.size)));
      for (const edge of edges)
        for (const address of hashTilesOf(edge.size))
          expect([nameOf(address), written.get(nameOf(address))]).toEqual([
            nameOf(address),
            plainTile(leaves, address),
          ]);
      expect(new Set(written.keys())).toEqual(
        new Set(edges.flatMap((edge) => hashTilesOf(edge.size).map(nameOf))),
      );
    }),
    { numRuns: 12 },
  );
});

test('the edge of an earlier size, read from the tiles of a later one, is the one that was there', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(), async (counts, at) => {
      const leaves = leavesOf(sum(counts));
      const { size, edges, readTile } = grow(leaves, counts);
      const part = at % (size + 1);
      const edge = await edgeAt(part, size, readTile);
      expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, part)));
      expect(rootOfEdge(addLeaves(edge, leaves.slice(part)).edge)).toEqual(plainRoot(leaves));
      for (const kept of edges) {
        const found = await edgeAt(kept.size, size, readTile);
        expect(rootOfEdge(found)).toEqual(rootOfEdge(kept));
      }
    }),
    { numRuns: 12 },
  );
});

test('an inclusion proof leads from its leaf to the root, and from no other leaf or place', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(), async (counts, at) => {
      const leaves = leavesOf(sum(counts));
      const { size, read } = grow(leaves, counts);
      const head = { size, root: plainRoot(leaves) };
      const index = at % size;
      const proof = await inclusionProof(index, size, read);
      expect(isIncluded(leaves[index]!, index, head, proof)).toBe(true);
      expect(isIncluded(leavesOf(1, 'other')[0]!, index, head, proof)).toBe(false);
      expect(isIncluded(leaves[index]!, (index + 1) % size, head, proof)).toBe(size === 1);
      expect(isIncluded(leaves[index]!, index, head, [...proof, head.root])).toBe(false);
      expect(isIncluded(leaves[index]!, index, head, proof.slice(1))).toBe(size === 1);
    }),
    { numRuns: 25 },
  );
});

test('a consistency proof shows that a tree grew, and is invalid for another tree', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(), async (counts, at) => {
      const leaves = leavesOf(sum(counts));
      const { size, read } = grow(leaves, counts);
      const newer = { size, root: plainRoot(leaves) };
      for (const old of new Set([1, 1 + (at % size), size])) {
        const older = { size: old, root: plainRoot(leaves.slice(0, old)) };
        const proof = await consistencyProof(old, size, read);
        expect(isConsistent(older, newer, proof)).toBe(true);
        const forked = { size: old, root: plainRoot(leavesOf(old, 'forked')) };
        expect(isConsistent(forked, newer, proof)).toBe(false);
        expect(isConsistent(older, { size, root: forked.root }, proof)).toBe(false);
      }
    }),
    { numRuns: 25 },
  );
});

test.each([0, 1, 255, 256, 257, 65_535, 65_536, 65_537, 200_000])(
  'a log of %i entries has the tiles and bundles of the specification',
  (size) => {
    expect([...tilesOf(size)].map(tileKey)).toEqual(expectedTileKeys(size));
  },
);
