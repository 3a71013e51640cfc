import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import { sha256OfFile } from '../../../lib/hash.ts';

/** A file of an export. */
export interface SourceFile {
  /** Absolute. */
  path: string;
  file: string;
  format: 'csv' | 'json' | 'parquet' | 'xlsx';
  sha256: string;
  bytes: number;
}

/** A table of an export: a file, or a sheet of a workbook. */
export interface SourceTable {
  path: string;
  format: 'csv' | 'json' | 'parquet';
  bytes: number;
  /** As reports name it. */
  file: string;
  /** The name of the sheet, in a workbook. */
  sheet?: string;
}

const NAME = /\.(?:(csv|tsv)(?:\.gz)?|(json|ndjson|jsonl)(?:\.gz)?|(parquet|xlsx))$/i;

/**
 * The files at some paths, where a folder stands for the files in it, in an order that does not depend on that of the
 * paths. A file that is given twice counts once.
 * @throws Failure that names a path which cannot be read, or is of no format that we read.
 */
export async function listSources(paths: readonly string[]): Promise<SourceFile[]> {
  const files = (await Promise.all(paths.map(async (path) => await filesAt(resolve(path))))).flat();
  const sources = new Map<string, SourceFile>();
  for (const path of files.toSorted()) {
    const source = await describe(path);
    sources.set(`${source.file}\n${source.sha256}`, source);
  }
  return [...sources]
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([, s]) => s);
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${reasonOf(error)}`;
    throw new Failure(`${path} ${reason}`, { cause: error });
  });
  if (!found.isDirectory()) return [path];
  const inside = (await readdir(path, { withFileTypes: true })).filter((entry) => !entry.isDirectory());
  const files = inside.map(({ name }) => join(path, name)).filter((name) => NAME.test(name));
  if (files.length === 0) throw new Failure(`${path} has no .csv, .xlsx, .json, .ndjson or .parquet file`);
  return files;
}

async function describe(path: string): Promise<SourceFile> {
  const match = NAME.exec(path);
  if (match === null)
    throw new Failure(
      `${path} is not .csv, .tsv, .json, .ndjson, .jsonl (or one of them with .gz), .parquet or .xlsx; a spreadsheet program saves a sheet as .xlsx or as CSV in UTF-8`,
    );
  // DuckDB reads these as patterns, and nothing else is allowed to be read.
  if (/[*?[]/.test(path)) throw new Failure(`${path} has * ? or [ in its name; rename it`);
  const format = match[1] === undefined ? (match[2] === undefined ? match[3]!.toLowerCase() : 'json') : 'csv';
  if (/\.gz$/i.test(path)) await refuseTruncated(path);
  const { size } = await stat(path);
  return {
    path,
    file: basename(path),
    format: format as SourceFile['format'],
    bytes: size,
    sha256: await sha256OfFile(path),
  };
}

/** DuckDB reads a gzip file that was cut off up to there, without an error. */
async function refuseTruncated(path: string): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await pipeline(createReadStream(path), createGunzip(), nowhere).catch((error: unknown) => {
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
}
