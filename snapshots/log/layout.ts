/** The object keys of the transparency log: below `log/`, as c2sp.org/tlog-tiles names them. */

import { tileWidth } from './tree/tiles.ts';
import type { TileAddress } from './tree/tiles.ts';

export const LOG = 'log/';
/** The newest head of the log, with the cosignatures of witnesses. */
export const CHECKPOINT_KEY = `${LOG}checkpoint`;

export const KEPT_CHECKPOINTS = `${LOG}checkpoints/`;

/** A head as the log signed it, without cosignatures, kept for ever. Time stamps cover these bytes. */
export function keptCheckpointKey(size: number): string {
  return `${KEPT_CHECKPOINTS}${size}`;
}

/** An RFC 3161 reply over the kept checkpoint of this size. */
export function timestampKey(size: number): string {
  return `${KEPT_CHECKPOINTS}${size}.tsr`;
}

export const TILES = `${LOG}tile/`;

/** `tile/0/x001/234` or, before it is full, `tile/0/x001/234.p/17`. For entry bundles the level is `entries`. */
export function tileKey({ level, index, width }: TileAddress): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${LOG}tile/${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
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

/** True for the log's objects, which belong to no workspace. */
export function isLogKey(key: string): boolean {
  return /^log\/(?:checkpoint|checkpoints\/\d+(?:\.tsr)?)$/.test(key) || tileOfKey(key) !== null;
}

/** In the lake: the last head that was signed. A program that can write only to the store cannot change it. */
export const COMMITTED_KEY = 'log/committed.json';

/**
 * In the lake: the entries that a head adds; written before it is signed, removed after it is published. Named by its
 * own hash: the same tree can be reached from two heads, by different entries.
 */
export function stagedKey(size: number, hash: string): string {
  return `log/staged/${size}-${hash.slice(0, 16)}.json`;
}
