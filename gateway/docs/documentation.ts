import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import { DEFAULT_ADDRESS } from '../../lib/openapi/address.ts';
import { prepareDocument } from '../documents/prepared-document.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';
import { connectionAddress, requestedAddress } from '../http/public-address.ts';

/** A public file: no key, no limit. */
export interface PublicFile {
  url: string;
  type: string;
  /** Compressed when it is first requested. */
  document(request: IncomingMessage): Promise<PreparedDocument>;
}

/**
 * The OpenAPI file, and a page that shows it with assets of our own server only.
 * @param openapi the OpenAPI file with the default address, which is replaced
 * @param publicUrl the server address in the OpenAPI file; if absent, the address of each request
 */
export async function documentationFiles(openapi: PublicText, publicUrl?: string): Promise<PublicFile[]> {
  const html = await own('page.html');
  const scripts = ['page.js', 'html.js', 'fields.js', 'try.js', 'examples.js', 'parameters.js'];
  return [
    openApiFile(openapi, publicUrl),
    publicFile('/docs', HTML, html),
    publicFile('/docs/', HTML, html),
    publicFile('/docs/page.css', 'text/css; charset=utf-8', await own('page.css')),
    publicFile('/docs/icon.svg', 'image/svg+xml', await own('icon.svg')),
    // As text: browsers would store Markdown instead of showing it.
    ...['methodology.md', 'client.py', 'prove.py', 'prove.ts'].map((name) =>
      publicFile(`/docs/${name}`, 'text/plain; charset=utf-8', () => readFile(new URL(name, DOCS), 'utf8')),
    ),
    ...(await Promise.all(scripts.map(async (name) => publicFile(`/docs/${name}`, SCRIPT, await own(name))))),
  ];
}

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const DOCS = new URL('../../docs/', import.meta.url);

async function own(name: string): Promise<string> {
  return await readFile(new URL(name, import.meta.url), 'utf8');
}

/** Clients choose the Host header: without a limit, each could take memory and time for a text of its own. */
const MOST_ADDRESSES = 100;

/** A further host gets the address of the connection. */
function openApiFile(openapi: PublicText, publicUrl: string | undefined): PublicFile {
  const url = '/openapi.json';
  const type = 'application/json; charset=utf-8';
  const files = new Map<string, PublicFile>();
  return {
    url,
    type,
    async document(request) {
      const wanted = publicUrl ?? requestedAddress(request);
      const hasRoom = files.has(wanted) || files.size < MOST_ADDRESSES;
      const address = hasRoom ? wanted : connectionAddress(request);
      const text = async () => (await textOf(openapi)).replaceAll(DEFAULT_ADDRESS, address);
      const file = files.get(address) ?? publicFile(url, type, text);
      files.set(address, file);
      return await file.document(request);
    },
  };
}

/** A text, or a function that loads it at the first request. */
type PublicText = string | (() => Promise<string>);

async function textOf(text: PublicText): Promise<string> {
  return typeof text === 'string' ? text : await text();
}

export function publicFile(url: string, type: string, text: PublicText): PublicFile {
  const prepare = async () => {
    const body = Buffer.from(await textOf(text));
    return await prepareDocument(body, sha256(body));
  };
  return { url, type, document: once(prepare) };
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
