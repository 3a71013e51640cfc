import type { IncomingMessage } from 'node:http';
import { isKey } from '../records/keys.ts';

/** Every field of a request with all its values: Node's `headers` drops a second Authorization. */
type Fields = IncomingMessage['headersDistinct'];

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
export function credentialOf({ authorization = [], 'x-api-key': apiKeys = [] }: Fields): Credential {
  const bearer = bearerToken(authorization[0] ?? '');
  const apiKey = apiKeys[0]?.trim() ?? '';
  const isAmbiguous = authorization.length > 1 || apiKeys.length > 1;
  if (bearer === '' && apiKey === '' && !isAmbiguous) return MISSING;
  const key = bearer === '' ? apiKey : bearer;
  if (!isAmbiguous && (apiKey === '' || apiKey === key) && isKey(key)) return { key, refused: null };
  const named = new Set(
    [...authorization, ...apiKeys]
      .join()
      .split(/[\s,;]+/)
      .filter(isKey),
  );
  return { key: null, refused: 'invalid_key', named: [...named].slice(0, MOST_NAMED) };
}

const MISSING: Credential = { key: null, refused: 'missing_key' };
const BEARER = /^bearer(?:[ \t]+|$)/i;

/** Each header twice. Without this bound, one refused request could cost as much as hundreds. */
const MOST_NAMED = 4;

function bearerToken(authorization: string): string {
  const scheme = BEARER.exec(authorization);
  return scheme === null ? '' : authorization.slice(scheme[0].length).trim();
}
