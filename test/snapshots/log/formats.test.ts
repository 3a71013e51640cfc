import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { encodeBundle } from '../../../snapshots/log/entries.ts';
import { readEntries } from '../../../snapshots/log/read.ts';
import { addLeaves, edgeAt, rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { leafHash, nodeHash, proveInclusion, readRoots } from '../../../snapshots/log/tree/merkle.ts';
import { hashReader, tileKey, tileOfKey, tileWidth, tilesOf } from '../../../snapshots/log/tree/tiles.ts';
import type { TileAddress } from '../../../snapshots/log/tree/tiles.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import { memoryStore } from '../../support/memory-store.ts';

/** Where RFC 6962 divides the leaves of a tree in two. */
function halves(leaves: readonly Buffer[]) {
  let middle = 1;
  while (middle * 2 < leaves.length) middle *= 2;
  return [leaves.slice(0, middle), leaves.slice(middle)] as const;
}

/** The definition of RFC 6962, section 2.1, literally. */
function plainRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return Buffer.from(sha256(''), 'hex');
  if (leaves.length === 1) return leaves[0]!;
  const [left, right] = halves(leaves);
  return nodeHash(plainRoot(left), plainRoot(right));
}

/** The definition of section 2.1.1, literally. */
function plainPath(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length === 1) return [];
  const [left, right] = halves(leaves);
  return index < left.length
    ? [...plainPath(left, index), plainRoot(right)]
    : [...plainPath(right, index - left.length), plainRoot(left)];
}

/** The definition of c2sp.org/tlog-tiles, Merkle Tree: hash `n` of level `l` is the root of `256 ** l` leaves. */
function plainTile(leaves: readonly Buffer[], { level, index, width }: TileAddress): Buffer {
  const each = tileWidth ** Number(level);
  const hashes = Array.from({ length: width }, (_, at) => (index * tileWidth + at) * each);
  return Buffer.concat(hashes.map((from) => plainRoot(leaves.slice(from, from + each))));
}

/** A log that grew by batches of these sizes: its edge after each of them, and all tiles and bundles that were written. */
function grow(entries: readonly Buffer[], batches: readonly number[]) {
  const written = new Map<string, Buffer>();
  const edges = [emptyLogEdge];
  for (const count of batches) {
    const { size } = edges.at(-1)!;
    const { edge, objects } = growLog(edges.at(-1)!, entries.slice(size, size + count));
    for (const { key, bytes } of objects) written.set(key, Buffer.from(bytes));
    edges.push(edge);
  }
  const readTile = (address: TileAddress) => Promise.resolve(written.get(tileKey(address))!);
  return { edges, written, readTile };
}

/** As of a newer version. */
const entryOf = (index: number) => Buffer.from(`{"kind":"x","at":"2026-11-16T07:00:00Z","index":${index}}`);

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
      const entries = Array.from({ length: size }, (_, index) => entryOf(index));
      const leaves = entries.map(leafHash);
      const { edges, written, readTile } = grow(entries, batches);
      const due = new Map<string, Buffer>();
      for (const edge of edges) {
        expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, edge.size)));
        for (const tile of tilesOf(edge.size)) {
          const [from, bundle] = [tile.index * tileWidth, { ...tile, level: 'entries' as const }];
          due.set(tileKey(tile), plainTile(leaves, tile));
          if (tile.level === 0)
            due.set(tileKey(bundle), encodeBundle(entries.slice(from, from + tile.width)));
        }
      }
      expect(written).toEqual(due);

      for (const part of new Set([at % (size + 1), size - (size % tileWidth)])) {
        const edge = await edgeAt(part, size, readTile);
        expect(rootOfEdge(edge)).toEqual(plainRoot(leaves.slice(0, part)));
        expect(rootOfEdge(addLeaves(edge, leaves.slice(part)).edge)).toEqual(plainRoot(leaves));
      }
      const [read, whole, index] = [hashReader(size, readTile), plainRoot(leaves), at % size];
      const later = readEntries(memoryStore(written), size, index);
      expect(await Array.fromAsync(later, ({ bytes }) => bytes)).toEqual(entries.slice(index));
      const proof = plainPath(leaves, index);
      expect(await proveInclusion(leaves[index]!, index, size, read)).toEqual({ proof, root: whole });
      for (const old of new Set([1, 1 + index, size])) {
        const part = plainRoot(leaves.slice(0, old));
        expect(await readRoots(old, size, read)).toEqual({ part, whole });
      }
    }),
    { numRuns: 15 },
  );
  expect(tileOfKey('log/tile/1/x001/x234/067.p/5')).toEqual({ level: 1, index: 1_234_067, width: 5 });
});
