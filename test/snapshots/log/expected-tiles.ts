/**
 * The keys of all tiles and entry bundles of a log of `size` entries, by the arithmetic of c2sp.org/tlog-tiles: a tile has
 * 256 hashes, a hash of a level covers 256 of the level below, and the last tile of a level ends where the log ends.
 */
export function expectedTileKeys(size: number): string[] {
  const keys: string[] = [];
  for (let level = 0, hashes = size; hashes > 0; level += 1, hashes >>= 8)
    keys.push(...keysOf(`${level}`, hashes));
  return [...keys, ...keysOf('entries', size)];
}

function keysOf(level: string, hashes: number): string[] {
  const full = Array.from({ length: hashes >> 8 }, (_, index) => `log/tile/${level}/${pathOf(index)}`);
  const rest = hashes & 255;
  return rest === 0 ? full : [...full, `log/tile/${level}/${pathOf(hashes >> 8)}.p/${rest}`];
}

/** As long as a level has fewer than 1000 tiles, which is 256,000 entries. */
const pathOf = (index: number) => String(index).padStart(3, '0');
