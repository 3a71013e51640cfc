import { z } from 'zod';
import { decodeCanonical } from '../../../lib/decode.ts';
import { Failure, handleDamage } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { committedKey } from '../../layout.ts';
import { digest, encode, instant } from '../../manifest.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import type { Edge } from '../tree/edge.ts';

export const archiveLink = z.strictObject({ key: z.string(), sha256: digest });
/** Names the archive of a commit. */
export type ArchiveLink = z.infer<typeof archiveLink>;

export const edgeSchema = z.strictObject({
  /** Of each level, the hashes of the tile that is not full. */
  tiles: z.array(z.base64()),
  /** The entries of the bundle that is not full. */
  entries: z.array(z.string()),
});

const committedSchema = z.strictObject({
  format: z.literal(1),
  /** The signed checkpoint, without signatures of others. */
  checkpoint: z.string(),
  edge: edgeSchema,
  /** The time of the newest entry; empty before the first. */
  at: z.union([instant, z.literal('')]),
  /** SHA-256 of the heads after the newest entry, which the lake has a copy of. */
  heads: digest,
  /** The archive of the newest commit, which names the one before. */
  archive: archiveLink,
  /** Fingerprint of the key that signs the next commit. */
  signer: digest,
});

/** The edge of a tree, with the entries that a new bundle begins with. */
export interface LogEdge extends Edge {
  entries: readonly Buffer[];
}

/**
 * What was committed last: it is stored in the lake and replaced by compare-and-swap, and that is the moment of
 * publication. The store only repeats it. A thief may be able to write to the store but not to the lake, so nothing that
 * was read from the store is ever signed.
 */
export interface Committed extends Omit<z.infer<typeof committedSchema>, 'format' | 'checkpoint' | 'edge'> {
  checkpoint: Checkpoint;
  edge: LogEdge;
}

export type StoredCommitted = Committed & { version: string };

/** Null before the first commit. @throws Failure if it cannot be read, NewerVersion if a newer version wrote it. */
export async function readCommitted(lake: ObjectStore, origin: string): Promise<StoredCommitted | null> {
  const key = committedKey(origin);
  const object = await lake.get(key);
  if (object === null) return null;
  const name = `${lake.url}/${key}`;
  const { checkpoint: note, edge, format: _, ...rest } = decodeCanonical(object.bytes, committedSchema, name);
  const checkpoint = parseCheckpoint(Buffer.from(note), name);
  return { ...rest, checkpoint, edge: decodeEdge(edge, checkpoint.size), version: object.version };
}

/** The version of an object that should say what is committed, and cannot be read; null if there is none. */
export async function damagedVersion(lake: ObjectStore, origin: string): Promise<string | null> {
  return await handleDamage(
    async () => {
      await readCommitted(lake, origin);
      return null;
    },
    async () => (await lake.get(committedKey(origin)))?.version ?? null,
  );
}

/**
 * Does something with what is committed. A failure means nothing if another commit was made meanwhile, because then lake
 * and store were read at different times: it is done again.
 */
export async function withCommitted<T>(
  { lake, origin }: { lake: ObjectStore; origin: string },
  work: (committed: StoredCommitted | null) => Promise<T>,
): Promise<T> {
  for (;;) {
    const committed = await readCommitted(lake, origin);
    try {
      return await work(committed);
    } catch (error) {
      const now = await readCommitted(lake, origin);
      if (!(error instanceof Failure) || now?.version === committed?.version) throw error;
    }
  }
}

/** Replaces what was committed; false if another commit was faster. */
export async function swapCommitted(
  lake: ObjectStore,
  { checkpoint, edge, ...rest }: Committed,
  expected: string | null,
): Promise<boolean> {
  const note = formatNote(checkpoint.note);
  const bytes = encode(committedSchema, { ...rest, format: 1, checkpoint: note, edge: encodeEdge(edge) });
  return await lake.swap(committedKey(checkpoint.origin), bytes, expected);
}

export function encodeEdge({ tiles, entries }: LogEdge): z.infer<typeof edgeSchema> {
  return {
    tiles: tiles.map((tile) => tile.toString('base64')),
    entries: entries.map((entry) => entry.toString('utf8')),
  };
}

export function decodeEdge({ tiles, entries }: z.infer<typeof edgeSchema>, size: number): LogEdge {
  return {
    size,
    tiles: tiles.map((tile) => Buffer.from(tile, 'base64')),
    entries: entries.map((entry) => Buffer.from(entry)),
  };
}
