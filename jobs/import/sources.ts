import { readdir, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createGunzip } from 'node:zlib';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';

/** A file of an export. */
export interface SourceFile {
  /** Absolute. */
  path: string;
  file: string;
  format: 'csv' | 'json' | 'parquet';
  sha256: string;
  bytes: number;
}

const NAME = /\.(?:(csv|tsv)(?:\.gz)?|(json|ndjson|jsonl)(?:\.gz)?|(parquet))$/i;

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
    const key = `${source.file}\n${source.sha256}`;
    if (!sources.has(key)) sources.set(key, source);
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
  if (files.length === 0) throw new Failure(`${path} has no .csv, .json, .ndjson or .parquet file`);
  return files;
}

async function describe(path: string): Promise<SourceFile> {
  const match = NAME.exec(path);
  if (match === null)
    throw new Failure(
      `${path} is not .csv, .tsv, .json, .ndjson, .jsonl (or one of them with .gz), or .parquet`,
    );
  // DuckDB reads these as patterns, and nothing else is allowed to be read.
  if (/[*?[]/.test(path)) throw new Failure(`${path} has * ? or [ in its name; rename it`);
  const format = match[1] === undefined ? (match[2] === undefined ? 'parquet' : 'json') : 'csv';
  const { size } = await stat(path);
  return { path, file: basename(path), format, bytes: size, sha256: await sha256OfFile(path) };
}

export interface CsvHeader {
  delimiter: string;
  columns: string[];
}

const DELIMITERS = [',', ';', '\t', '|'];
const MAX_HEADER = 1 << 20;

/** The first line of a CSV file. Its delimiter is the one of `, ; tab |` that it has most often. @throws Failure */
export async function readCsvHeader({ path }: SourceFile): Promise<CsvHeader> {
  const line = (await firstLine(path)).replace(/^\ufeff/, '');
  const delimiter = DELIMITERS.toSorted((a, b) => line.split(b).length - line.split(a).length)[0]!;
  const columns = line.split(delimiter).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (columns.includes('')) throw new Failure(`${path} has a column without a name in its first line`);
  if (twice !== undefined) throw new Failure(`${path} has two columns named ${twice}`);
  return { delimiter, columns };
}

async function firstLine(path: string): Promise<string> {
  const raw = createReadStream(path);
  const text = path.toLowerCase().endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  try {
    raw.on('error', (error) => text.destroy(error));
    let head = '';
    for await (const chunk of text.setEncoding('utf8')) {
      head += String(chunk);
      const end = head.search(/[\r\n]/);
      if (end >= 0) return head.slice(0, end);
      if (head.length > MAX_HEADER) break;
    }
    return head;
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  } finally {
    raw.destroy();
  }
}
