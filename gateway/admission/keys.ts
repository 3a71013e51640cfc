import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/hash.ts';

/** `vis_` and 48 hexadecimal characters . We create lower-case keys only; the hash decides about others. */
const KEY = /^vis_[0-9a-f]{48}$/i;

/**
 * The characters of a key that are stored in clear. Danger: databases contain prefixes of this length, and they are unique
 * there. After a change, `key revoke` must still accept the old length, or old keys cannot be revoked any more.
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
