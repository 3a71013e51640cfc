import type { Entry } from '../../../lib/store/store.ts';
import { encodeBundle } from '../entries.ts';
import { addLeaves, emptyEdge } from '../tree/edge.ts';
import { leafHash } from '../tree/merkle.ts';
import { bundleOf, tileKey, tileWidth } from '../tree/tiles.ts';
import type { LogEdge } from './committed.ts';

export const emptyLogEdge: LogEdge = { ...emptyEdge, entries: [] };

/** The edge after these entries, and the tiles and bundles that are new or wider than before, by key. */
export function growLog(edge: LogEdge, entries: readonly Buffer[]): { edge: LogEdge; objects: Entry[] } {
  const { edge: grown, tiles } = addLeaves(edge, entries.map(leafHash));
  const all = [...edge.entries, ...entries];
  const first = Math.floor(edge.size / tileWidth) * tileWidth;
  const objects: Entry[] = tiles.map((tile) => ({ key: tileKey(tile), bytes: tile.bytes }));
  for (let at = 0; at < all.length; at += tileWidth)
    objects.push({
      key: tileKey(bundleOf(first + at, grown.size)),
      bytes: encodeBundle(all.slice(at, at + tileWidth)),
    });
  const kept = grown.size % tileWidth;
  return { edge: { ...grown, entries: kept === 0 ? [] : all.slice(-kept) }, objects };
}
