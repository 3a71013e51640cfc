import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Every file of the project, as a path from the root: in git, or new and not ignored; or all of a source archive. */
export function projectFiles(): string[] {
  if (!existsSync(join(root, '.git'))) return filesOfArchive();
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const deleted = new Set(list(['ls-files', '-z', '--deleted']));
  return list(listed).filter((path) => !deleted.has(path));
}

function list(command: string[]): string[] {
  return execFileSync('git', command, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
}

function filesOfArchive(): string[] {
  const lines = textOf('.gitignore').trim().split('\n');
  const exclude = lines.map((line) => `**/${line.replace(/\/$/, '')}`);
  const entries = globSync(['**', '**/.*', '**/.*/**'], { cwd: root, exclude, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
