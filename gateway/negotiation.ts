/** The codings in which every document is at hand, the preferred one first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * Picks the coding that a client accepts most (RFC 9110, 12.5.3), and of equals the smaller one.
 * A client that accepts none is served plain: the specification has no status for refusing it.
 */
export function negotiateEncoding(acceptEncoding: string): Encoding {
  if (acceptEncoding === '') return 'identity';
  const known = negotiated.get(acceptEncoding);
  if (known !== undefined) return known;
  const picked = pick(acceptEncoding);
  if (negotiated.size >= 1000) negotiated.clear();
  negotiated.set(acceptEncoding, picked);
  return picked;
}

/** Clients send few different headers; parsing each time showed in the profile. */
const negotiated = new Map<string, Encoding>();

function pick(acceptEncoding: string): Encoding {
  const qualities = new Map<string, number>();
  for (const part of acceptEncoding.split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    if (name !== undefined && name !== '')
      qualities.set(name === 'x-gzip' ? 'gzip' : name, quality(parameters));
  }
  const any = qualities.get('*');
  let best: Encoding = 'identity';
  let most = qualities.get('identity') ?? (any === 0 ? 0 : UNSAID);
  for (const encoding of ['gzip', 'br'] as const) {
    const q = qualities.get(encoding) ?? any ?? 0;
    if (q > 0 && q >= most) [best, most] = [encoding, q];
  }
  return best;
}

/** Plain is always welcome where it is not named, but less than anything that is. */
const UNSAID = 0.0001;

function quality(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  if (q === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q.slice(2)) : 0;
}

/**
 * True where the client already has the document (RFC 9110, 13.1.2): `*`, or a list that names one of its
 * entity tags in any coding. `W/` does not matter here.
 */
export function matchesEntityTag(ifNoneMatch: string, tags: readonly string[]): boolean {
  const text = ifNoneMatch.trim();
  if (tags.includes(text) || text === '*') return true;
  return text.match(/"[^"]*"/g)?.some((tag) => tags.includes(tag)) ?? false;
}
