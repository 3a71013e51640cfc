import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { DEFAULT_ADDRESS } from '../../lib/documents/routes.ts';
import { sha256 } from '../../lib/hash.ts';
import { once } from '../../lib/once.ts';
import { uncompressedDocument } from '../http/prepared-document.ts';
import { HTML, SCRIPT, publicFile } from '../http/public-file.ts';
import type { LoadText, PublicFile } from '../http/public-file.ts';
import { JSON_TYPE } from '../http/respond.ts';
import { contentOf, servedAsTheyAre, textPages, titleOf } from './text-page.ts';

const scripts = ['page', 'text', 'contents', 'html', 'fields', 'try', 'samples', 'examples', 'parameters'];

/**
 * The OpenAPI file, /llms.txt for assistants, a page that shows the API with assets of our own server only, and the
 * texts of docs/ for those who use the API or the page.
 * @param publicUrl the server address in the OpenAPI file; if absent, the address of each request
 */
export function documentationFiles(publicUrl?: string): PublicFile[] {
  return [
    openApiFile(publicUrl),
    publicFile('/llms.txt', TEXT, own('llms.txt')),
    publicFile('/docs', HTML, reference),
    publicFile('/docs/', HTML, reference),
    ...textPages.map((name) => publicFile(`/docs/${name}`, HTML, textPage(name))),
    publicFile('/docs/page.css', 'text/css; charset=utf-8', sheet),
    publicFile('/docs/icon.svg', 'image/svg+xml', own('icon.svg')),
    // As text: browsers would store Markdown and scripts instead of showing them.
    ...servedAsTheyAre.map((path) => publicFile(`/docs/${basename(path)}`, TEXT, own(`../../${path}`))),
    ...scripts.map((name) => publicFile(`/docs/${name}.js`, SCRIPT, own(`${name}.js`))),
  ];
}

const TEXT = 'text/plain; charset=utf-8';

async function reference(): Promise<string> {
  return await pageWith('Sightline API', 'page.js', await own('reference.html')());
}

/** A page of docs/, rendered at the first request for it. */
function textPage(name: (typeof textPages)[number]): LoadText {
  return async () => {
    const text = await own(`../../docs/${name}.md`)();
    return await pageWith(titleOf(text), 'text.js', contentOf(text));
  };
}

async function pageWith(title: string, script: string, content: string): Promise<string> {
  const given: Record<string, string> = { title, script, content };
  return (await own('page.html')()).replaceAll(
    /\{(title|script|content)\}/g,
    (_, name: string) => given[name]!,
  );
}

/** Colours and sizes are those of /explore. */
async function sheet(): Promise<string> {
  return (await Promise.all([own('../explore/styles/base.css')(), own('page.css')()])).join('');
}

function own(name: string): LoadText {
  return async () => await readFile(new URL(name, import.meta.url), 'utf8');
}

async function openApiText(): Promise<string> {
  return JSON.stringify(JSON.parse(await own('../../docs/openapi.json')()));
}

/**
 * docs/openapi.json, in which the server's address stands once. With `publicUrl` it is prepared once. Otherwise it is put
 * together for each request, and not compressed: clients choose the Host header, so there is nothing to remember that
 * they could not fill.
 */
function openApiFile(publicUrl: string | undefined): PublicFile {
  const url = '/openapi.json';
  if (publicUrl !== undefined)
    return publicFile(url, JSON_TYPE, async () => (await openApiText()).replace(DEFAULT_ADDRESS, publicUrl));
  const parts = once(async () => {
    const whole = await openApiText();
    return { hash: sha256(whole), around: whole.split(DEFAULT_ADDRESS) };
  });
  return {
    url,
    type: JSON_TYPE,
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
