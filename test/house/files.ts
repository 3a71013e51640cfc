import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Every file of the project: in git, or new and not ignored. Paths from the root. */
export function projectFiles(): string[] {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const deleted = new Set(list(['ls-files', '-z', '--deleted']));
  return list(listed).filter((path) => !deleted.has(path));
}

function list(command: string[]): string[] {
  return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
