import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** The content codings of every document, the preferred one first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** `x-gzip` is an old name of gzip (RFC 9110, 8.4.1.3). */
const known = ['br', 'gzip', 'x-gzip', 'identity'] as const;

/** A longer Accept-Encoding is ignored. Browsers send 30 characters; parsing 15 KB takes 0.7 ms. */
const MOST_CHARACTERS = 200;

/** A cache: clients send few different headers, and parsing each one was visible in the profile. */
const negotiated = new LRUCache<string, Encoding>({ max: 1000 });

/**
 * Picks the coding that a client prefers (RFC 9110, 12.5.3), the smaller one if it has no preference. `identity` if the
 * client accepts none of them, or the header is too long.
 */
export function negotiateEncoding(acceptEncoding: string): Encoding {
  if (acceptEncoding === '' || acceptEncoding.length > MOST_CHARACTERS) return 'identity';
  let encoding = negotiated.get(acceptEncoding);
  if (encoding === undefined) negotiated.set(acceptEncoding, (encoding = pick(acceptEncoding)));
  return encoding;
}

function pick(acceptEncoding: string): Encoding {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const [picked = 'identity'] = negotiator.encodings(known, { preferred: known });
  return picked === 'x-gzip' ? 'gzip' : picked;
}

/**
 * True if the client already has the selected representation (RFC 9110, 13.1.2): If-None-Match is `*`, or contains its
 * entity tag, with or without `W/`.
 */
export function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.includes(tag) || ifNoneMatch.trim() === '*';
}
