import { isKey } from './keys.ts';
import type { RequestHeaders } from './request.ts';

/** The key that a request carries, or why there is none. */
export type Credential =
  { key: string; refused: null } | { key: null; refused: 'missing_key' | 'invalid_key' };

/**
 * Reads the key from `Authorization: Bearer` (any case) or `x-api-key`, never from the URL (spec 5).
 * Another scheme, and a header without a value, count as absent. Two different keys, or one header twice, are an
 * invalid key: whoever stands between client and gateway might have read the other one.
 */
export function credentialOf(headers: RequestHeaders): Credential {
  if (headers.ambiguousKey) return INVALID;
  const bearer = bearerToken(headers.authorization);
  const apiKey = headers.apiKey.trim();
  if (bearer === '' && apiKey === '') return MISSING;
  if (bearer !== '' && apiKey !== '' && bearer !== apiKey) return INVALID;
  const key = bearer === '' ? apiKey : bearer;
  return isKey(key) ? { key, refused: null } : INVALID;
}

const MISSING: Credential = { key: null, refused: 'missing_key' };
const INVALID: Credential = { key: null, refused: 'invalid_key' };
const BEARER = /^bearer(?:[ \t]+|$)/i;

function bearerToken(authorization: string): string {
  const scheme = BEARER.exec(authorization);
  return scheme === null ? '' : authorization.slice(scheme[0].length).trim();
}
