import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from '../../lib/once.ts';
import { prepareDocument } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { sendPrepared } from './respond.ts';

/** A public file: no key, no limit. */
export interface PublicFile {
  url: string;
  type: string;
  /** The request headers that it depends on. */
  vary: string;
  document(request: IncomingMessage): Promise<Pick<PreparedDocument, 'variants'>>;
}

/** Called at the first request. */
export type LoadText = () => Promise<string>;

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';

/** A file that is loaded and compressed at its first request. */
export function publicFile(url: string, type: string, load: LoadText): PublicFile {
  const document = once(async () => await prepareDocument(Buffer.from(await load())));
  return { url, type, vary: 'Accept-Encoding', document };
}

/** Allows scripts, styles, images and requests from this server only, and none inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export async function sendPublicFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PublicFile,
): Promise<FastifyReply> {
  reply.headers({
    'Cache-Control': 'public, max-age=0, must-revalidate',
    Vary: file.vary,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    Link: '</openapi.json>; rel="service-desc"',
  });
  return await sendPrepared(request, reply, await file.document(request.raw), file.type);
}
