import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { decodeCanonical } from '../../../lib/decode.ts';
import { Failure, handleFailure, orNull } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { archiveKey } from '../../layout.ts';
import { count } from '../../manifest.ts';
import { archiveLink, decodeEdge, edgeSchema, encodeEdge } from './committed.ts';
import type { ArchiveLink, LogEdge } from './committed.ts';

const partSchema = z.strictObject({
  format: z.literal(1),
  /** The size of the log before this commit. */
  from: count,
  edge: edgeSchema,
  entries: z.array(z.string()),
  /** The archive of the commit before; null for the first. */
  previous: archiveLink.nullable(),
});

/** One commit, as the lake keeps it for ever. */
export interface ArchivedCommit {
  /** The size of the log before it. */
  from: number;
  entries: readonly Buffer[];
  previous: ArchiveLink | null;
}

/** Writes the archive of a commit that is about to be made. Until it is, nothing names it. */
export async function writeArchive(
  lake: ObjectStore,
  origin: string,
  { edge, entries, previous }: Pick<ArchivedCommit, 'entries' | 'previous'> & { edge: LogEdge },
): Promise<ArchiveLink> {
  const from = edge.size;
  const texts = entries.map((entry) => entry.toString('utf8'));
  const text = JSON.stringify({ format: 1, from, edge: encodeEdge(edge), entries: texts, previous });
  // Of the text: compressed bytes depend on the version of zlib.
  const hash = sha256(text);
  const key = archiveKey(origin, from, randomUUID());
  if (!(await lake.create(key, gzipSync(text)))) throw new Failure(`${lake.url}/${key} exists already`);
  return { key, sha256: hash };
}

/** Deletes the archive of a commit that lost the race. A lake that refuses deletions keeps it; nothing names it. */
export async function dropArchive(lake: ObjectStore, { key }: ArchiveLink): Promise<void> {
  await handleFailure(
    async () => await lake.delete(key),
    () => undefined,
  );
}

async function read(
  lake: ObjectStore,
  { key, sha256: hash }: ArchiveLink,
): Promise<z.infer<typeof partSchema>> {
  const name = `${lake.url}/${key}`;
  const object = await lake.get(key);
  const text = object && orNull(() => gunzipSync(object.bytes).toString('utf8'));
  if (text === null || sha256(text) !== hash)
    throw new Failure(
      `${name} is missing, or does not have the bytes that were committed: put it back from a copy of the lake; if there is none, use "audit log complete --from-store"`,
    );
  return decodeCanonical(Buffer.from(text), partSchema, name, '');
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
    const { from, edge, entries, previous } = await read(lake, link);
    commits.push({ from, entries: entries.map((entry) => Buffer.from(entry)), previous });
    if (from <= downTo || previous === null)
      return { edge: decodeEdge(edge, from), commits: commits.toReversed() };
    link = previous;
  }
}

/** The entries of these commits. */
export function entriesIn({ commits }: Archive): Buffer[] {
  return commits.flatMap(({ entries }) => entries);
}
