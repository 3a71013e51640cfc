import type { ServerResponse } from 'node:http';
import { errorTable } from '../lib/errors.ts';
import type { ErrorBody, ErrorCode } from '../lib/errors.ts';
import type { Allowance } from './allowance.ts';
import { canBeSpelled, dateField, documentFields, endSpelled, spellHeads } from './document-head.ts';
import { CONTENT_SECURITY_POLICY } from './documentation.ts';
import type { Found } from './documents.ts';
import type { Exchange } from './exchange.ts';
import { matchesEntityTag, negotiateEncoding } from './negotiation.ts';
import type { PreparedDocument } from './prepared-document.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers an admitted request with a document: 200, or 304 where the client has it already. */
export function sendDocument(exchange: Exchange, allowance: Allowance, found: Found): void {
  const { headers, response } = exchange;
  const { document, snapshotId } = found;
  const variant = document.variants[negotiateEncoding(headers.acceptEncoding)];
  const isKnown = headers.ifNoneMatch !== '' && matchesEntityTag(headers.ifNoneMatch, document.tags);
  const status = isKnown ? 304 : 200;
  const body = isKnown ? null : variant.body;
  if (isGone(response)) return;
  if (headers.longBody || !canBeSpelled(response)) {
    const fields = [...documentFields(variant, status), 'X-Request-Id', exchange.requestId];
    if (snapshotId !== null) fields.push('X-Snapshot-Id', snapshotId);
    pushAllowance(fields, allowance);
    send(exchange, status, fields, body);
    return;
  }
  const heads = (variant.heads ??= spellHeads(variant));
  const head =
    `${(isKnown ? heads.notModified : heads.ok) + dateField()}\r\nX-RateLimit-Limit: ${allowance.limit}` +
    `\r\nX-RateLimit-Remaining: ${allowance.remaining}\r\nX-RateLimit-Reset: ${allowance.reset}` +
    `\r\nX-Request-Id: ${exchange.requestId}` +
    (snapshotId === null ? '\r\n\r\n' : `\r\nX-Snapshot-Id: ${snapshotId}\r\n\r\n`);
  endSpelled(response, status, head, body);
  tell(exchange, status);
}

/** Answers with one of the errors of spec 7, and nothing that came from the request or from inside. */
export function sendError(exchange: Exchange, code: ErrorCode): void {
  const { status, body } = errorAnswers[code];
  const fields = [
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    'X-Request-Id',
    exchange.requestId,
  ];
  if (status === 401) fields.push('WWW-Authenticate', 'Bearer');
  if (exchange.admission?.outcome === 'rate_limited') {
    pushAllowance(fields, exchange.admission.allowance);
    fields.push('Retry-After', String(exchange.admission.allowance.retryAfter));
  }
  send(exchange, status, fields, body);
}

/** Answers with a file that is for everybody. */
export function sendPublicFile(exchange: Exchange, type: string, document: PreparedDocument): void {
  const { headers } = exchange;
  const variant = document.variants[negotiateEncoding(headers.acceptEncoding)];
  const fields = [
    'ETag',
    variant.tag,
    'Cache-Control',
    'public, max-age=0, must-revalidate',
    'Vary',
    'Accept-Encoding',
    'X-Request-Id',
    exchange.requestId,
  ];
  if (headers.ifNoneMatch !== '' && matchesEntityTag(headers.ifNoneMatch, document.tags)) {
    send(exchange, 304, fields, null);
    return;
  }
  fields.push('Content-Type', type, 'Content-Length', String(variant.body.length));
  fields.push('X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', CONTENT_SECURITY_POLICY);
  fields.push('Referrer-Policy', 'no-referrer');
  if (variant.encoding !== 'identity') fields.push('Content-Encoding', variant.encoding);
  send(exchange, 200, fields, variant.body);
}

function pushAllowance(fields: string[], { limit, remaining, reset }: Allowance): void {
  fields.push(
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
  );
}

function send(exchange: Exchange, status: number, fields: string[], body: Buffer | null): void {
  const { response } = exchange;
  if (isGone(response)) return;
  // The rest of a long body would have to be read to the end before the connection can be used again.
  if (exchange.headers.longBody) fields.push('Connection', 'close');
  response.writeHead(status, fields);
  if (body === null) response.end();
  else response.end(body);
  tell(exchange, status);
}

/** The client has gone, or a defect struck half way: a second answer must not follow. */
function isGone(response: ServerResponse): boolean {
  if (!response.headersSent && !response.destroyed) return false;
  response.destroy();
  return true;
}

function tell({ observer, requestId, route, admission, began }: Exchange, status: number): void {
  observer.answered({
    requestId,
    route,
    status,
    workspaceId: admission?.workspaceId ?? null,
    keyId: admission?.keyId ?? null,
    ms: performance.now() - began,
  });
}

function answerFor(code: ErrorCode): { status: number; body: Buffer } {
  const { status, message } = errorTable[code];
  return { status, body: Buffer.from(JSON.stringify({ error: { code, message } } satisfies ErrorBody)) };
}

const errorAnswers: Record<ErrorCode, { status: number; body: Buffer }> = {
  missing_key: answerFor('missing_key'),
  invalid_key: answerFor('invalid_key'),
  plan_required: answerFor('plan_required'),
  not_found: answerFor('not_found'),
  rate_limited: answerFor('rate_limited'),
  internal: answerFor('internal'),
};
