import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { sha256 } from '../lib/hash.ts';
import { once } from '../lib/once.ts';
import { DEFAULT_ADDRESS } from '../lib/openapi/address.ts';
import { prepareDocument, uncompressed } from './prepared-document.ts';
import type { PreparedDocument } from './prepared-document.ts';
import { addressOf } from './public-address.ts';

/** A file that is for everybody: no key, no limit. */
export interface PublicFile {
  url: string;
  type: string;
  /** Compressed when it is first requested. */
  document(request: IncomingMessage): Promise<PreparedDocument>;
}

/** The redoc that draws the page asks for its logo elsewhere; ours comes from here like everything else. */
const REDOC_LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g;

/**
 * The OpenAPI file, and a page that shows it with assets of our own server only.
 * @param openapi with the default address, which is replaced.
 * @param publicUrl the address for the OpenAPI file; without it each client gets the address of its own request.
 */
export async function documentationFiles(openapi: PublicText, publicUrl?: string): Promise<PublicFile[]> {
  const redoc = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
  const html = 'text/html; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  const icon = 'image/svg+xml';
  return [
    openApiFile(openapi, publicUrl),
    publicFile('/docs', html, await own('page.html')),
    publicFile('/docs/', html, await own('page.html')),
    publicFile('/docs/page.css', 'text/css; charset=utf-8', await own('page.css')),
    publicFile('/docs/page.js', script, await own('page.js')),
    publicFile('/docs/examples.js', script, await own('examples.js')),
    publicFile('/docs/icon.svg', icon, await own('icon.svg')),
    publicFile('/docs/redoc.svg', icon, await own('redoc.svg')),
    // Two megabytes that most gateways are never asked for.
    publicFile('/docs/redoc.js', script, async () =>
      (await readFile(redoc, 'utf8')).replaceAll(REDOC_LOGO, '/docs/redoc.svg'),
    ),
  ];
}

async function own(name: string): Promise<string> {
  return await readFile(new URL(`docs/${name}`, import.meta.url), 'utf8');
}

function openApiFile(openapi: PublicText, publicUrl: string | undefined): PublicFile {
  const url = '/openapi.json';
  const type = 'application/json; charset=utf-8';
  const textFor = async (address: string) => (await textOf(openapi)).replaceAll(DEFAULT_ADDRESS, address);
  if (publicUrl !== undefined) return publicFile(url, type, async () => await textFor(publicUrl));
  return {
    url,
    type,
    // Neither kept nor compressed: anybody can send any Host.
    document: async (request) => uncompressed(Buffer.from(await textFor(addressOf(request)))),
  };
}

/** A text, or how to get it when it is first asked for. */
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

/**
 * Nothing but our own files may run, be drawn or be asked for. Of styles redoc needs two more: elements that it adds
 * empty (the hash is that of nothing) and fills through the object model, and attributes, with which it colours code.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
