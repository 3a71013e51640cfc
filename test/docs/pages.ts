import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../house/files.ts';

export const root = join(import.meta.dirname, '../..');

/** Every page for people, by its path in the project. */
export const pages: readonly string[] = projectFiles().filter(
  (path) => path.endsWith('.md') && !path.startsWith('test/'),
);

export function pageText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export interface Block {
  language: string;
  text: string;
  /** The text of the comment before it: `<!-- tour -->`; '' if there is none. */
  mark: string;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(text: string): Block[] {
  const fenced = /^(?:<!-- ([^\n]*?) -->\n+)?(?:<!-- oxfmt-ignore -->\n)?```([a-z]+)\n(.*?)^```$/gms;
  return [...text.matchAll(fenced)].map(([, mark, language, body]) => ({
    mark: mark ?? '',
    language: language!,
    text: body!,
  }));
}

/** The only block of a page with this mark. */
export function markedBlock(path: string, mark: string): string {
  const found = blocksOf(pageText(path)).filter((block) => block.mark === mark);
  if (found.length !== 1) throw new Error(`${path} has ${found.length} blocks marked ${mark}`);
  return found[0]!.text;
}

/** The rows of the table after a mark, each as the texts of its cells, without backquotes. */
export function tableAfter(path: string, mark: string): string[][] {
  const after = pageText(path).split(`<!-- ${mark} -->\n\n`)[1]!;
  const [table] = after.split('\n\n');
  const rows = table!.trimEnd().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
