/** The object keys of the transparency log: below `log/`, as c2sp.org/tlog-tiles names them. */

import { tileWidth } from './tree/tiles.ts';
import type { TileAddress } from './tree/tiles.ts';

export const LOG = 'log/';
/** The newest head of the log, with the cosignatures of witnesses. */
export const CHECKPOINT_KEY = `${LOG}checkpoint`;

export const KEPT_CHECKPOINTS = `${LOG}checkpoints/`;

/** A head as the log signed it, kept for ever: what time stamps are over. */
export function keptCheckpointKey(size: number): string {
  return `${KEPT_CHECKPOINTS}${size}`;
}

/** An RFC 3161 reply over the kept checkpoint of this size. */
export function timestampKey(size: number): string {
  return `${KEPT_CHECKPOINTS}${size}.tsr`;
}

/** `tile/0/x001/234` or, before it is full, `tile/0/x001/234.p/17`. Entries have `entries` for a level. */
export function tileKey({ level, index, width }: TileAddress): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${LOG}tile/${level}/${path}${width === tileWidth ? '' : `.p/${width}`}`;
}

/** True for what the log writes: no part of a workspace. */
export function isLogKey(key: string): boolean {
  return /^log\/(?:checkpoint|checkpoints\/\d+(?:\.tsr)?|tile\/(?:entries|\d{1,2})\/(?:x\d{3}\/)*\d{3}(?:\.p\/\d{1,3})?)$/.test(
    key,
  );
}

/** In the lake, out of reach of a writer of the store: the last head that was signed. */
export const COMMITTED_KEY = 'log/committed.json';

/** In the lake: the entries that a head adds, from before it is signed until it is published. */
export function stagedKey(size: number, rootHex: string): string {
  return `log/staged/${size}-${rootHex.slice(0, 16)}.json`;
}
