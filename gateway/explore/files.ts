import { readFile } from 'node:fs/promises';
import type { Trust } from '../../snapshots/signing.ts';
import { HTML, publicFile, SCRIPT } from '../docs/documentation.ts';
import type { PublicFile } from '../docs/documentation.ts';

/**
 * The page /explore: it reads the public API with the visitor's own key, and loads nothing from elsewhere.
 * @param trust the keys that the gateway trusts; the page shows a check with them as not independent
 */
export async function exploreFiles(trust: Trust | undefined): Promise<PublicFile[]> {
  const html = await textOf('page.html');
  const styles = ['../../snapshots/pages/tables.css', '../../snapshots/pages/page.css', 'page.css'];
  const style = (await Promise.all(styles.map(textOf))).join('');
  const keys = [...(trust ?? new Map()).values()].map((key) => key.export({ type: 'spki', format: 'pem' }));
  return [
    publicFile('/explore', HTML, html),
    publicFile('/explore/', HTML, html),
    publicFile('/explore/page.css', 'text/css; charset=utf-8', style),
    publicFile('/explore/page.js', SCRIPT, await textOf('page.js')),
    // Empty without a key: the page says so in words.
    publicFile('/explore/public-key.pem', 'text/plain; charset=utf-8', keys.join('')),
  ];
}

async function textOf(name: string): Promise<string> {
  return await readFile(new URL(name, import.meta.url), 'utf8');
}
