import { errorTable } from '../../lib/errors.ts';
import type { ErrorBody, ErrorCode } from '../../lib/errors.ts';
import type { ServerResponse } from 'node:http';
import type { Admission, Counted } from '../admission/allowance.ts';
import { CONTENT_SECURITY_POLICY } from '../docs/documentation.ts';
import type { PublicFile } from '../docs/documentation.ts';
import type { Found } from '../documents/find.ts';
import type { GatewayObserver } from '../observe/observer.ts';
import { matchesEntityTag, negotiateEncoding } from './negotiation.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';
import type { RequestHeaders } from './request.ts';
import { endAfterBody } from './unwanted-body.ts';

/** One request and its response, from the moment the headers were read. */
export interface Exchange {
  requestId: string;
  route: string;
  headers: RequestHeaders;
  response: ServerResponse;
  /** `performance.now()` at its start. */
  began: number;
  /** Null until the records have responded. */
  admission: Admission | null;
  observer: GatewayObserver;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Responds to an admitted request with a document: 200, or 304 if the client has it already. */
export function sendDocument(exchange: Exchange, admission: Counted, found: Found): void {
  const { document, snapshotId, lastModified, isFinal } = found;
  const fields = [
    'Cache-Control',
    isFinal ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    'Vary',
    'Accept-Encoding, Authorization, x-api-key',
  ];
  if (snapshotId !== null) fields.push('X-Snapshot-Id', snapshotId);
  if (lastModified !== null) fields.push('Last-Modified', lastModified);
  pushAllowance(fields, admission);
  sendPrepared(exchange, document, fields, JSON_TYPE);
}

function sendPrepared(exchange: Exchange, document: PreparedDocument, fields: string[], type: string): void {
  const { headers, requestId } = exchange;
  const variant = document.variants[negotiateEncoding(headers.acceptEncoding)];
  fields.push('ETag', variant.tag, 'X-Request-Id', requestId);
  if (matchesEntityTag(headers.ifNoneMatch, variant.tag)) return send(exchange, 304, fields, null);
  fields.push('Content-Type', type, 'Content-Length', String(variant.body.length));
  if (variant.encoding !== 'identity') fields.push('Content-Encoding', variant.encoding);
  send(exchange, 200, fields, variant.body);
}

/** Responds with an error of lib/errors.ts. It contains nothing from the request and no internal reason. */
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
  if (exchange.admission?.refused === 'rate_limited') {
    pushAllowance(fields, exchange.admission);
    fields.push('Retry-After', String(exchange.admission.secondsLeft));
  }
  send(exchange, status, fields, body);
}

/** Responds with a public file: no key is needed. */
export function sendPublicFile(
  exchange: Exchange,
  { type, vary }: Pick<PublicFile, 'type' | 'vary'>,
  document: PreparedDocument,
): void {
  const fields = [
    'Cache-Control',
    'public, max-age=0, must-revalidate',
    'Vary',
    vary,
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    CONTENT_SECURITY_POLICY,
    'Referrer-Policy',
    'no-referrer',
  ];
  sendPrepared(exchange, document, fields, type);
}

/** Sends a browser to a page. Temporary, because the page may be another one in a later version. */
export function sendRedirect(exchange: Exchange, to: string): void {
  const { requestId } = exchange;
  const fields = ['Location', to, 'Cache-Control', 'no-store', 'Vary', 'Accept', 'X-Request-Id', requestId];
  send(exchange, 302, [...fields, 'Content-Length', '0'], null);
}

function pushAllowance(fields: string[], { limit, remaining, minuteEnds }: Counted): void {
  fields.push(
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(minuteEnds),
  );
}

function send(exchange: Exchange, status: number, fields: string[], body: Buffer | null): void {
  const { response, headers } = exchange;
  if (response.headersSent) {
    // After a defect in the middle of a response, a second one must not follow.
    response.destroy();
    return;
  }
  if (response.req.socket.destroyed) {
    report(exchange, CLIENT_LEFT);
    return;
  }
  if (headers.mustClose) fields.push('Connection', 'close');
  response.writeHead(status, fields);
  if (headers.mustClose && !response.req.complete) endAfterBody(response, body);
  else if (body === null) response.end();
  else response.end(body);
  report(exchange, status);
}

/** nginx's status for a client that closed the connection before the response. */
const CLIENT_LEFT = 499;

function report({ observer, requestId, route, admission, began }: Exchange, status: number): void {
  observer.answered({
    requestId,
    route,
    status,
    workspaceId: admission?.workspaceId ?? null,
    keyId: admission?.keyId ?? null,
    ms: performance.now() - began,
  });
}

const errorAnswers = Object.fromEntries(
  Object.entries(errorTable).map(([code, { status, message }]) => {
    const body = { error: { code: code as ErrorCode, message } } satisfies ErrorBody;
    return [code, { status, body: Buffer.from(JSON.stringify(body)) }];
  }),
) as Record<ErrorCode, { status: number; body: Buffer }>;
