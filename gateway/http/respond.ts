import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorTable } from '../../lib/errors.ts';
import type { ErrorBody, ErrorCode } from '../../lib/errors.ts';
import type { Counted } from '../admission/allowance.ts';
import type { PreparedDocument } from './prepared-document.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Responds with a document: 200, or 304 if the client has it already. The caller has set the headers of its kind. */
export function sendPrepared(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { variants }: Pick<PreparedDocument, 'variants'>,
  type: string,
): FastifyReply {
  const acceptEncoding = headers['accept-encoding'];
  const isCompressed = acceptEncoding !== undefined && acceptsGzip(acceptEncoding);
  const { tag, encoding, body } = isCompressed ? variants.gzip : variants.identity;
  reply.header('ETag', tag);
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.header('Content-Type', type).send(body);
}

/** Responds with an error of lib/errors.ts. It contains nothing from the request and no internal reason. */
export function sendError(request: FastifyRequest, reply: FastifyReply, code: ErrorCode): FastifyReply {
  const { status, body } = errorAnswers[code];
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  const { admission } = request;
  if (admission?.refused === 'rate_limited')
    reply.headers(allowanceHeaders(admission)).header('Retry-After', String(admission.secondsLeft));
  return reply.code(status).header('Cache-Control', 'no-store').header('Content-Type', JSON_TYPE).send(body);
}

export function allowanceHeaders({ limit, remaining, minuteEnds }: Counted) {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(minuteEnds),
  };
}

const errorAnswers = Object.fromEntries(
  Object.entries(errorTable).map(([code, { status, message }]) => {
    const body = { error: { code: code as ErrorCode, message } } satisfies ErrorBody;
    return [code, { status, body: Buffer.from(JSON.stringify(body)) }];
  }),
) as Record<ErrorCode, { status: number; body: Buffer }>;

/** A longer Accept-Encoding is ignored: browsers send 30 characters. */
const MOST_CHARACTERS = 200;

/** True if the client takes gzip at least as gladly as the plain bytes (RFC 9110, 12.5.3). `x-gzip` is its old name. */
function acceptsGzip(acceptEncoding: string): boolean {
  if (acceptEncoding.length > MOST_CHARACTERS) return false;
  const weights = new Map([
    ['*', 0],
    ['identity', 0],
  ]);
  for (const member of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = member.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q=')) ?? 'q=1';
    weights.set(coding, Number(weight.slice('q='.length)));
  }
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*')!;
  return gzip > 0 && gzip >= weights.get('identity')!;
}

/**
 * True if the client already has the selected representation (RFC 9110, 13.1.2): If-None-Match is `*`, or contains its
 * entity tag, with or without `W/`.
 */
function matchesEntityTag(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.includes(tag) || ifNoneMatch.trim() === '*';
}
