import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { DEFAULT_ADDRESS } from '../../lib/documents/routes.ts';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import { prepareDocument, uncompressedDocument } from '../documents/prepared-document.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';

/** A public file: no key, no limit. */
export interface PublicFile {
  url: string;
  type: string;
  /** The request headers that it depends on. */
  vary: string;
  document(request: IncomingMessage): Promise<PreparedDocument>;
}

/**
 * The OpenAPI file, and a page that shows it with assets of our own server only.
 * @param openapi the OpenAPI file with the default address, which is replaced
 * @param publicUrl the server address in the OpenAPI file; if absent, the address of each request
 */
export function documentationFiles(openapi: LoadText, publicUrl?: string): PublicFile[] {
  const scripts = ['page.js', 'html.js', 'fields.js', 'try.js', 'samples.js', 'examples.js', 'parameters.js'];
  return [
    openApiFile(openapi, publicUrl),
    publicFile('/docs', HTML, own('page.html')),
    publicFile('/docs/', HTML, own('page.html')),
    publicFile('/docs/page.css', 'text/css; charset=utf-8', own('page.css')),
    publicFile('/docs/icon.svg', 'image/svg+xml', own('icon.svg')),
    // As text: browsers would store Markdown instead of showing it.
    ...['methodology.md', 'client.py'].map((name) =>
      publicFile(`/docs/${name}`, 'text/plain; charset=utf-8', own(`../../docs/${name}`)),
    ),
    ...scripts.map((name) => publicFile(`/docs/${name}`, SCRIPT, own(name))),
  ];
}

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';

/** Called at the first request. */
type LoadText = () => Promise<string>;

function own(name: string): LoadText {
  return async () => await readFile(new URL(name, import.meta.url), 'utf8');
}

/**
 * The text has the address once, in `servers`. With `publicUrl` prepared once. Otherwise put together for each request,
 * and not compressed: clients choose the Host header, so there is nothing to remember that they could not fill.
 */
function openApiFile(openapi: LoadText, publicUrl: string | undefined): PublicFile {
  const url = '/openapi.json';
  const type = 'application/json; charset=utf-8';
  if (publicUrl !== undefined)
    return publicFile(url, type, async () => (await openapi()).replace(DEFAULT_ADDRESS, publicUrl));
  const parts = once(async () => {
    const text = await openapi();
    return { hash: sha256(text), around: text.split(DEFAULT_ADDRESS) };
  });
  return {
    url,
    type,
    vary: 'X-Forwarded-Proto',
    async document(request) {
      const { hash, around } = await parts();
      const address = requestedAddress(request);
      return uncompressedDocument(Buffer.from(around.join(address)), sha256(hash + address));
    },
  };
}

/** What may be written into JSON and into sample requests: a name or an address, and a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The URL that a client used, without a trailing slash: the Host header, and the scheme of X-Forwarded-Proto if a TLS
 * proxy sends it. Without a valid Host `/`, which is relative to the document: the address of the connection may be one
 * of an inner network. Use it for documentation only: a client chooses the host in its own response.
 */
function requestedAddress({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const { host = '' } = headers;
  if (!HOST.test(host)) return '/';
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${host}`;
}

export function publicFile(url: string, type: string, load: LoadText): PublicFile {
  const prepare = async () => {
    const body = Buffer.from(await load());
    return await prepareDocument(body, sha256(body));
  };
  return { url, type, vary: 'Accept-Encoding', document: once(prepare) };
}

/** Allows scripts, styles, images and requests from this server only, and none inline. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
