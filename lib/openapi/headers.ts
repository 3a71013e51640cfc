import type { oas31 } from 'zod-openapi';
import { allowancesInWords } from '../plans.ts';

/** Every header that a response can have. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs of the service. Quote it when you report a problem.',
    required: true,
    schema: { type: 'string', examples: ['5b1cf1a6-52bb-4b52-9b8d-0c1a2f5f3c7e'] },
  },
  CacheControlOfDocuments: {
    description:
      'no-cache: keep the response, and send its ETag in If-None-Match before you use it again. immutable (documents of a snapshot): the response never changes, so do not request it again.',
    required: true,
    schema: {
      type: 'string',
      examples: ['private, no-cache', 'private, max-age=31536000, immutable'],
    },
  },
  CacheControlOfErrors: {
    description: 'Errors must not be cached.',
    required: true,
    schema: { type: 'string', examples: ['no-store'] },
  },
  'X-RateLimit-Limit': {
    description: `Requests per calendar minute, shared by all keys of the workspace: ${allowancesInWords()}, unless the workspace has its own number.`,
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [120] },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in the current minute.',
    required: true,
    schema: { type: 'integer', minimum: 0, examples: [87] },
  },
  'X-RateLimit-Reset': {
    description: 'When the current minute ends, in Unix seconds.',
    required: true,
    schema: { type: 'integer', examples: [1795068120] },
  },
  'Retry-After': {
    description: 'Seconds until the allowance is full again.',
    required: true,
    schema: { type: 'integer', minimum: 1, examples: [23] },
  },
  ETag: {
    description:
      'Identifies the version of the document. Send it in If-None-Match: the response is 304 until the document changes.',
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
      'The published snapshot that the response is from. Absent before the first snapshot, and on the list of snapshots.',
    schema: { type: 'string', examples: ['20261116T060000.000Z-0123456789abcdef'] },
  },
  'Last-Modified': {
    description:
      'When the snapshot of the document was published. Use the ETag for conditional requests: a document can be the same in the next snapshot. Absent before the first snapshot, on the list of snapshots and on proofs.',
    schema: { type: 'string', examples: ['Mon, 16 Nov 2026 06:04:12 GMT'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', examples: ['Bearer'] },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

type HeaderName = keyof typeof headers;

const rateLimit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;
const ofDocuments = refer(
  ['X-Request-Id', 'ETag', 'Vary', 'X-Snapshot-Id', 'Last-Modified', ...rateLimit],
  'CacheControlOfDocuments',
);
const ofErrors = (...names: readonly HeaderName[]) =>
  refer(['X-Request-Id', ...names], 'CacheControlOfErrors');

/** The headers of a response, by its status. */
export const headersByStatus = {
  200: ofDocuments,
  304: ofDocuments,
  401: ofErrors('WWW-Authenticate'),
  402: ofErrors(),
  404: ofErrors(),
  429: ofErrors(...rateLimit, 'Retry-After'),
  500: ofErrors(),
} as const satisfies Record<number, oas31.HeadersObject>;

export type Status = keyof typeof headersByStatus;
export const statuses = Object.keys(headersByStatus).map(Number) as Status[];

function refer(names: readonly HeaderName[], cacheControl: HeaderName): oas31.HeadersObject {
  const reference = (name: HeaderName) => ({ $ref: `#/components/headers/${name}` });
  const own = Object.fromEntries(names.map((name) => [name, reference(name)]));
  return { ...own, 'Cache-Control': reference(cacheControl) };
}
