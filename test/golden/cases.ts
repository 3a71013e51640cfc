import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The documents of a brand, in the order of a response's routes. */
export const documentKinds = [
  'visibility',
  'stability',
  'competitors',
  'sources',
  'results',
  'timeline',
  'prompts',
] as const;

/** The instant as of which the expected documents were computed. */
export const goldenAsOf = '2026-11-16T06:00:00Z';

/** Every folder here is a golden case. */
export const goldenFolders: readonly string[] = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

export function goldenPath(name: string, path: string): string {
  return fileURLToPath(new URL(`${name}/${path}`, import.meta.url));
}

/** The as-of time of a case: its own, or the default. */
export function asOfCase(name: string): string {
  const own = goldenPath(name, 'as-of.txt');
  return existsSync(own) ? readFileSync(own, 'utf8').trim() : goldenAsOf;
}

/** The `data` of every response, by workspace, then `brands`, `week`, or the brand and the document. */
export function expectedText(name: string): string {
  return readFileSync(goldenPath(name, 'expected.json'), 'utf8');
}
