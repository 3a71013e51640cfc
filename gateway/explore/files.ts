import { readFile } from 'node:fs/promises';
import type { Trust } from '../../snapshots/signing.ts';
import { HTML, publicFile, SCRIPT } from '../docs/documentation.ts';
import type { PublicFile } from '../docs/documentation.ts';

/**
 * The page /explore: it reads the public API with the visitor's own key, and loads nothing from elsewhere.
 * @param trust the keys that the gateway trusts; the page shows a check with them as not independent
 */
export function exploreFiles(trust: Trust | undefined): PublicFile[] {
  const styles = ['../../snapshots/pages/tables.css', '../../snapshots/pages/page.css', 'page.css'];
  const keys = [...(trust ?? new Map()).values()].map((key) => key.export({ type: 'spki', format: 'pem' }));
  return [
    publicFile('/explore', HTML, textOf('page.html')),
    publicFile('/explore/', HTML, textOf('page.html')),
    publicFile('/explore/page.css', 'text/css; charset=utf-8', textOf(...styles)),
    publicFile('/explore/page.js', SCRIPT, textOf('page.js')),
    // Empty without a key: the page says so in words.
    publicFile('/explore/public-key.pem', 'text/plain; charset=utf-8', async () => keys.join('')),
  ];
}

function textOf(...names: string[]): () => Promise<string> {
  return async () => (await Promise.all(names.map(read))).join('');
}

async function read(name: string): Promise<string> {
  return await readFile(new URL(name, import.meta.url), 'utf8');
}
