import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/hash.ts';

/** `vis_` and 48 hexadecimal characters. We create lower-case keys only; for others the hash decides. */
const KEY = /^vis_[0-9a-f]{48}$/i;

/**
 * The number of characters of a key that are stored in clear. Danger: existing databases contain prefixes of this
 * length, which are unique. After a change, `key revoke` must still accept the old length, or old keys can no longer be
 * revoked.
 */
export const PREFIX_LENGTH = 12;
const PREFIX = new RegExp(`^vis_[0-9a-f]{${PREFIX_LENGTH - 4}}$`, 'i');

/** A key as it is stored: never the key itself. */
export interface StoredKey {
  hash: string;
  prefix: string;
}

export function newKey(): string {
  return `vis_${randomBytes(24).toString('hex')}`;
}

export function isKey(text: string): boolean {
  return KEY.test(text);
}

export function isKeyPrefix(text: string): boolean {
  return PREFIX.test(text);
}

export function storedForm(key: string): StoredKey {
  return { hash: sha256(key), prefix: key.slice(0, PREFIX_LENGTH) };
}
