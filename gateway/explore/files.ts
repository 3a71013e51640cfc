import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Trust } from '../../snapshots/signing.ts';
import { prepareDocument } from '../http/prepared-document.ts';
import { HTML, SCRIPT, publicFile } from '../http/public-file.ts';
import type { PublicFile } from '../http/public-file.ts';

/** The last ones change what the others say. */
const styles = ['base', 'bar', 'cards', 'tables', 'charts', 'phones', 'print'];

/**
 * The page /explore: it reads the public API with the visitor's own key, and loads nothing from elsewhere.
 * @param trust the keys that the gateway trusts, undefined before the first publication; the page shows a check with
 * them as not independent
 * @returns none if the page was not built: `npm ci` builds it
 */
export function exploreFiles(trust: () => Promise<Trust | undefined>): PublicFile[] {
  if (!existsSync(new URL('page.js', import.meta.url))) return [];
  return [
    publicFile('/explore', HTML, textOf('page.html')),
    publicFile('/explore/', HTML, textOf('page.html')),
    publicFile(
      '/explore/page.css',
      'text/css; charset=utf-8',
      textOf(...styles.map((name) => `styles/${name}.css`)),
    ),
    publicFile('/explore/page.js', SCRIPT, textOf('page.js')),
    publicKeyFile(trust),
  ];
}

/** Empty without a key: the page says so in words. Read for each request, because the first publication makes the key. */
function publicKeyFile(trust: () => Promise<Trust | undefined>): PublicFile {
  return {
    url: '/explore/public-key.pem',
    type: 'text/plain; charset=utf-8',
    vary: 'Accept-Encoding',
    async document() {
      const keys = [...((await trust()) ?? new Map()).values()];
      return await prepareDocument(
        Buffer.from(keys.map((key) => key.export({ type: 'spki', format: 'pem' })).join('')),
      );
    },
  };
}

function textOf(...names: string[]): () => Promise<string> {
  return async () => (await Promise.all(names.map(read))).join('');
}

async function read(name: string): Promise<string> {
  return await readFile(new URL(name, import.meta.url), 'utf8');
}
