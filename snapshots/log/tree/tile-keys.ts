import { TILES } from '../../layout.ts';
import { tileWidth } from './tiles.ts';
import type { TileAddress } from './tiles.ts';

/** `tile/0/x001/234` or, before it is full, `tile/0/x001/234.p/17`. For entry bundles the level is `entries`. */
export function tileKey({ level, index, width }: TileAddress): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${TILES}${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

const TILE = /^log\/tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** The address of a tile or entry bundle; null if the key is not that of one. */
export function tileOfKey(key: string): TileAddress | null {
  const [, level, path, width = String(tileWidth)] = TILE.exec(key) ?? [];
  if (level === undefined || path === undefined) return null;
  const index = Number(path.replaceAll(/[x/]/g, ''));
  const address = {
    level: level === 'entries' ? level : Number(level),
    index,
    width: Number(width),
  } as const;
  return tileKey(address) === key ? address : null;
}
