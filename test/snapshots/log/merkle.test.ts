import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  rootOf,
} from '../../../snapshots/log/tree/merkle.ts';
import { addedTiles, growingTree, hashReader } from '../../../snapshots/log/tree/tiles.ts';
import type { TileAddress } from '../../../snapshots/log/tree/tiles.ts';
import { leavesOf, plainRoot } from './trees.ts';

const nameOf = ({ level, index, width }: TileAddress) => `${level}/${index}/${width}`;

/** The tiles, in memory, of a log with these leaves after appends up to the given sizes. */
async function tilesOf(leaves: readonly Buffer[], appends: readonly number[]) {
  const tiles = new Map<string, Buffer>();
  const readTile = async (address: TileAddress) => tiles.get(nameOf(address))!;
  let size = 0;
  for (const count of appends) {
    for (const tile of await addedTiles(size, leaves.slice(size, size + count), readTile))
      tiles.set(nameOf(tile), tile.bytes);
    size += count;
  }
  return { size, tiles, read: hashReader(size, readTile) };
}

const sizes = fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 4 });

test('the root from tiles is that of RFC 6962, for any sizes of appends', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, async (appends) => {
      const leaves = leavesOf(appends.reduce((sum, count) => sum + count, 0));
      const { size, read } = await tilesOf(leaves, appends);
      const tree = growingTree();
      for (const leaf of leaves) tree.add(leaf);
      expect(await rootOf(size, read)).toEqual(plainRoot(leaves));
      expect(await tree.root(size)).toEqual(plainRoot(leaves));
    }),
    { numRuns: 40 },
  );
});

test('an inclusion proof leads from its leaf to the root, and from no other leaf or place', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (appends, at) => {
      const leaves = leavesOf(appends.reduce((sum, count) => sum + count, 0));
      const { size, read } = await tilesOf(leaves, appends);
      const head = { size, root: plainRoot(leaves) };
      const index = at % size;
      const proof = await inclusionProof(index, size, read);
      expect(isIncluded(leaves[index]!, index, head, proof)).toBe(true);
      expect(isIncluded(leavesOf(1, 'other')[0]!, index, head, proof)).toBe(false);
      expect(isIncluded(leaves[index]!, (index + 1) % size, head, proof)).toBe(size === 1);
      expect(isIncluded(leaves[index]!, index, head, [...proof, head.root])).toBe(false);
      expect(isIncluded(leaves[index]!, index, head, proof.slice(1))).toBe(size === 1);
    }),
    { numRuns: 60 },
  );
});

test('a consistency proof shows that a tree grew, and is invalid for another tree', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (appends, at) => {
      const leaves = leavesOf(appends.reduce((sum, count) => sum + count, 0));
      const { size, read } = await tilesOf(leaves, appends);
      const newer = { size, root: plainRoot(leaves) };
      const old = 1 + (at % size);
      const older = { size: old, root: plainRoot(leaves.slice(0, old)) };
      const proof = await consistencyProof(old, size, read);
      expect(isConsistent(older, newer, proof)).toBe(true);
      const forked = { size: old, root: plainRoot(leavesOf(old, 'forked')) };
      expect(isConsistent(forked, newer, proof)).toBe(false);
      expect(isConsistent(older, { size, root: forked.root }, proof)).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test('a tree of 70,000 has the number of tiles in the specification', async () => {
  const { tiles } = await tilesOf(leavesOf(70_000), [70_000]);
  const widths = (level: number) =>
    [...tiles.keys()]
      .filter((name) => name.startsWith(`${level}/`))
      .map((name) => Number(name.split('/')[2]));
  expect(widths(0).filter((width) => width === 256)).toHaveLength(273);
  expect(widths(0).at(-1)).toBe(112);
  expect(widths(1)).toEqual([256, 17]);
  expect(widths(2)).toEqual([1]);
});
