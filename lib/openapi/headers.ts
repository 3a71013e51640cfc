import type { oas31 } from 'zod-openapi';

/** Every header that a response can carry (spec 8; architecture, HTTP). */
export const headers = {
  'X-Request-Id': {
    description: 'Names this request in the logs of the service; quote it when you report a problem.',
    required: true,
    schema: { type: 'string', examples: ['pX3fQ9k2mZ7a-2f'] },
  },
  'Cache-Control': {
    description: 'Documents may be kept and must be asked for again with their ETag; errors may not be kept.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the workspace may make a minute, all its keys together.',
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [120] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute.',
    required: true,
    schema: { type: 'integer', minimum: 0, examples: [87] },
  },
  'X-RateLimit-Reset': {
    description: 'When the current minute ends, in seconds since 1970-01-01T00:00:00Z.',
    required: true,
    schema: { type: 'integer', examples: [1795068120] },
  },
  'Retry-After': {
    description: 'Seconds until the allowance is full again.',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 60, examples: [23] },
  },
  ETag: {
    description: 'Changes when the document does. Send it in If-None-Match to get 304 while it has not.',
    required: true,
    schema: {
      type: 'string',
      examples: ['"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"'],
    },
  },
  Vary: {
    description: 'The request headers that the response depends on.',
    required: true,
    schema: { type: 'string', examples: ['Accept-Encoding, Authorization, x-api-key'] },
  },
  'X-Snapshot-Id': {
    description:
      'The weekly snapshot that the document is part of. Absent while nothing has been measured for the workspace.',
    schema: { type: 'string', examples: ['20261116T060000.000Z-0123456789abcdef'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', examples: ['Bearer'] },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

type HeaderName = keyof typeof headers;

const onEvery: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control'];
const rateLimit: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const onDocuments: readonly HeaderName[] = [...onEvery, 'ETag', 'Vary', 'X-Snapshot-Id', ...rateLimit];

/** The headers of a response, by its status. */
export const headersByStatus = {
  200: refer(onDocuments),
  304: refer(onDocuments),
  401: refer([...onEvery, 'WWW-Authenticate']),
  402: refer(onEvery),
  404: refer(onEvery),
  429: refer([...onEvery, ...rateLimit, 'Retry-After']),
  500: refer(onEvery),
} as const satisfies Record<number, oas31.HeadersObject>;

function refer(names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
