import { readdir, realpath, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { RecordKind } from '../lake/layout.ts';
import { PROVENANCE_FILE } from '../lake/provenance.ts';

/** A file of a drop (docs/ingest.md). */
export interface DropFile {
  path: string;
  file: string;
  kind: RecordKind;
  format: 'ndjson' | 'ndjson.gz' | 'parquet';
  bytes: number;
  /** Modification time; a change during the ingest is a failure. */
  modifiedMs: number;
}

export interface Drop {
  files: DropFile[];
  /** Files that are not part of a drop, and are not read; `import.json` is a part. */
  ignored: string[];
}

const NAME = /^(?:(workspaces|brands|competitors|prompts|events)|runs.*)\.(ndjson\.gz|ndjson|parquet)$/;

/**
 * Lists a drop's files by name. This order decides which of two records is the first.
 * @throws Failure when the folder cannot be read, contains no drop file, a tracking file twice, or a symbolic link that
 * leads out of it: refused lines are copied into the lake, and the link may lead to a file of secrets.
 */
export async function listDrop(folder: string): Promise<Drop> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new Failure(`the drop ${folder} ${complaintOf(error)}`, { cause: error });
  });
  const files: DropFile[] = [];
  const ignored: string[] = [];
  for (const file of names.toSorted(compareText)) {
    const path = join(folder, file);
    const match = NAME.exec(file);
    if (match !== null || file === PROVENANCE_FILE) await assertInside(folder, path);
    const found = match === null ? null : await statOf(path);
    if (match === null || !found?.isFile()) {
      if (file !== PROVENANCE_FILE) ignored.push(file);
      continue;
    }
    const kind = (match[1] ?? 'runs') as RecordKind;
    const format = match[2] as DropFile['format'];
    files.push({ path, file, kind, format, bytes: found.size, modifiedMs: found.mtimeMs });
  }
  if (files.length === 0)
    throw new Failure(`the drop ${folder} contains no drop file (runs.ndjson, brands.ndjson, …)`);
  for (const kind of trackingKinds) {
    const twice = files.filter((file) => file.kind === kind);
    if (twice.length > 1)
      throw new Failure(`${folder} contains ${kind} twice: ${twice.map(({ file }) => file).join(', ')}`);
  }
  return { files, ignored };
}

async function assertInside(folder: string, path: string): Promise<void> {
  const target = await realpath(path).catch((error: unknown) => unreadable(path, error));
  if (!target.startsWith(join(await realpath(folder), sep)))
    throw new Failure(`${path} is a symbolic link that leads out of the drop, to ${target}`);
}

async function statOf(path: string): Promise<Stats> {
  return await stat(path).catch((error: unknown) => unreadable(path, error));
}

function unreadable(path: string, error: unknown): never {
  const isDangling = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const reason = isDangling ? 'is a symbolic link to nothing' : `cannot be read: ${reasonOf(error)}`;
  throw new Failure(`${path} ${reason}`, { cause: error });
}

function complaintOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'does not exist';
  return code === 'ENOTDIR' ? 'is not a folder' : `cannot be read: ${reasonOf(error)}`;
}
