import { isKey } from './keys.ts';
import type { RequestHeaders } from '../http/request.ts';

/** The key that a request carries, or why there is none. */
export type Credential =
  | { key: string; refused: null }
  | { key: null; refused: 'missing_key' }
  | {
      key: null;
      refused: 'invalid_key';
      /** Distinct keys in an ambiguous credential, at most 4: only their last-used times are updated. */
      named: readonly string[];
    };

/**
 * Reads the key from `Authorization: Bearer` (any case) or `x-api-key`, never from the URL.
 * Another scheme, or a header without a value, counts as absent. Two different keys, or a header that is sent twice,
 * count as an invalid key: a proxy between client and gateway might have read the other one.
 */
export function credentialOf(headers: RequestHeaders): Credential {
  if (headers.ambiguousKey) return invalid(headers);
  const bearer = bearerToken(headers.authorization);
  const apiKey = headers.apiKey.trim();
  if (bearer === '' && apiKey === '') return MISSING;
  if (bearer !== '' && apiKey !== '' && bearer !== apiKey) return invalid(headers);
  const key = bearer === '' ? apiKey : bearer;
  return isKey(key) ? { key, refused: null } : invalid(headers);
}

const MISSING: Credential = { key: null, refused: 'missing_key' };
const BEARER = /^bearer(?:[ \t]+|$)/i;

/** Each header twice. Without this bound, one refused request could cost as much as hundreds. */
const MOST_NAMED = 4;

function invalid({ authorization, apiKey }: RequestHeaders): Credential {
  const words = `${authorization},${apiKey}`.split(/[\s,;]+/);
  const named = new Set(words.filter(isKey));
  return { key: null, refused: 'invalid_key', named: [...named].slice(0, MOST_NAMED) };
}

function bearerToken(authorization: string): string {
  const scheme = BEARER.exec(authorization);
  return scheme === null ? '' : authorization.slice(scheme[0].length).trim();
}
