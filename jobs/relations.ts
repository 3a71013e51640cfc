import { readFile } from 'node:fs/promises';

/** Reads `NAME.sql` next to a module. */
export async function sqlNextTo({ url }: Pick<ImportMeta, 'url'>, name: string): Promise<string> {
  return await readFile(new URL(`${name}.sql`, url), 'utf8');
}
