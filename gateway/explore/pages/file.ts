import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Html } from './markup.ts';
import { page } from './page.ts';

const STYLE = ['tables.css', 'page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('');

/** A page of the auditor's commands. Its policy allows only the page's own style, by its hash. */
export function pageFile(title: string, body: Html): string {
  return page(title, STYLE, `'sha256-${hash('sha256', STYLE, 'base64')}'`, body);
}
