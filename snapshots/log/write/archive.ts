import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { decodeJson } from '../../../lib/decode.ts';
import { Failure, orNull } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { archiveKey } from '../../layout.ts';
import { count, digest } from '../../manifest.ts';
import { archiveLink, decodeEdge, edgeSchema, encodeEdge } from './committed.ts';
import type { ArchiveLink, LogEdge } from './committed.ts';
import { writeExactly } from './create-exactly.ts';

const partSchema = z.strictObject({
  format: z.literal(1),
  /** The size of the log before this commit. */
  from: count,
  edge: edgeSchema,
  entries: z.array(z.string()),
  /** What the entries name. */
  contents: archiveLink,
  /** The archive of the commit before; null for the first. */
  previous: archiveLink.nullable(),
});

const contentsSchema = z.strictObject({
  format: z.literal(1),
  texts: z.record(digest, z.string()),
});

/** The manifests that entries name, and the lists of inputs that these name, by SHA-256. */
export type Contents = ReadonlyMap<string, Buffer>;

/** One commit, as the lake keeps it for ever. */
export interface ArchivedCommit {
  /** The size of the log before it. */
  from: number;
  entries: readonly Buffer[];
  contents: ArchiveLink;
  previous: ArchiveLink | null;
}

/** Writes the archive of a commit that is about to be made. Until it is, nothing names it. */
export async function writeArchive(
  lake: ObjectStore,
  origin: string,
  { edge, entries, previous }: Pick<ArchivedCommit, 'entries' | 'previous'> & { edge: LogEdge },
  contained: Contents,
): Promise<ArchiveLink> {
  const named = [...contained].map(([hash, bytes]) => [hash, bytes.toString('utf8')] as const);
  const from = edge.size;
  const contents = await write(lake, origin, from, { format: 1, texts: Object.fromEntries(named) });
  const texts = entries.map((entry) => entry.toString('utf8'));
  return await write(lake, origin, from, {
    format: 1,
    from,
    edge: encodeEdge(edge),
    entries: texts,
    contents,
    previous,
  });
}

/** Named by the hash of the text, which does not depend on the version of zlib. */
async function write(lake: ObjectStore, origin: string, from: number, value: object): Promise<ArchiveLink> {
  const text = JSON.stringify(value);
  const hash = sha256(text);
  const key = archiveKey(origin, from, hash);
  // An altered object may be in its place.
  await writeExactly(lake, [{ key, bytes: gzipSync(text) }]);
  return { key, sha256: hash };
}

async function read<T>(
  lake: ObjectStore,
  { key, sha256: hash }: ArchiveLink,
  schema: z.ZodType<T>,
): Promise<T> {
  const name = `${lake.url}/${key}`;
  const object = await lake.get(key);
  const remedy =
    'put it back from a copy of the lake; if there is none, use "audit log complete --from-store"';
  if (object === null) throw new Failure(`${name} is missing: ${remedy}`);
  const text = orNull(() => gunzipSync(object.bytes).toString('utf8'));
  if (text === null || sha256(text) !== hash)
    throw new Failure(`${name} does not have the bytes that were committed: ${remedy}`);
  return decodeJson(text, schema, name);
}

/** Commits in the order of the log, and the edge before the first of them: an edge takes up to 100 KB. */
export interface Archive {
  edge: LogEdge;
  commits: ArchivedCommit[];
}

/** The commits from the one that contains the entry `downTo` to the newest. */
export async function readArchive(lake: ObjectStore, newest: ArchiveLink, downTo = 0): Promise<Archive> {
  const commits: ArchivedCommit[] = [];
  for (let link = newest; ;) {
    const { from, edge, entries, contents, previous } = await read(lake, link, partSchema);
    commits.push({ from, entries: entries.map((entry) => Buffer.from(entry)), contents, previous });
    if (from <= downTo || previous === null)
      return { edge: decodeEdge(edge, from), commits: commits.toReversed() };
    link = previous;
  }
}

/** The entries of these commits. */
export function entriesIn({ commits }: Archive): Buffer[] {
  return commits.flatMap(({ entries }) => entries);
}

export async function readContents(lake: ObjectStore, { contents }: ArchivedCommit): Promise<Contents> {
  const { texts } = await read(lake, contents, contentsSchema);
  return new Map(Object.entries(texts).map(([hash, text]) => [hash, Buffer.from(text)]));
}
