import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { parseCheckpoint } from './notes/checkpoint.ts';
import type { Checkpoint } from './notes/checkpoint.ts';
import { logEntrySchema } from './entries.ts';
import { COMMITTED_KEY } from './layout.ts';

/**
 * The last head that the log signed, stored in the lake. Writing it, by compare-and-swap, commits entries to the log.
 * Tiles and the public checkpoint follow from it, and any later append completes them. A thief may be able to write to
 * the store but not to the lake, so the log never signs a head that it read from the store.
 */
const committedSchema = z.strictObject({
  format: z.literal(1),
  checkpoint: z.string(),
  staged: z.string(),
  stagedSha256: z.string(),
});

export interface Committed {
  checkpoint: Checkpoint;
  /** Of the signed checkpoint, without cosignatures. */
  note: string;
  staged: string;
  stagedSha256: string;
  /** For compare-and-swap. */
  version: string;
}

/** The newest snapshot of a workspace in the log. */
const headSchema = z.strictObject({ sequence: z.int().positive(), manifestSha256: z.string() });
export type LoggedHead = z.infer<typeof headSchema>;
export type LoggedHeads = ReadonlyMap<string, LoggedHead>;

/** The entries that a head adds, and the newest logged snapshot of each workspace after it. */
const stagedSchema = z.strictObject({
  format: z.literal(1),
  /** The size and root (base64) of the tree before. */
  from: z.strictObject({ size: z.int().nonnegative(), root: z.base64() }),
  entries: z.array(logEntrySchema),
  heads: z.record(z.string(), headSchema),
});
export type Staged = z.infer<typeof stagedSchema>;

/** Null before the first append. */
export async function readCommitted(lake: ObjectStore): Promise<Committed | null> {
  const object = await lake.get(COMMITTED_KEY);
  if (object === null) return null;
  const name = `${lake.url}/${COMMITTED_KEY}`;
  const { checkpoint: note, staged, stagedSha256 } = decodeJson(object.bytes, committedSchema, name);
  const checkpoint = parseCheckpoint(Buffer.from(note), name);
  return { checkpoint, note, staged, stagedSha256, version: object.version };
}

/** Commits a head; false if another append committed meanwhile. */
export async function commit(
  lake: ObjectStore,
  committed: Pick<Committed, 'note' | 'staged' | 'stagedSha256'>,
  expected: string | null,
): Promise<boolean> {
  const { note, staged, stagedSha256 } = committed;
  const text = JSON.stringify({ format: 1, checkpoint: note, staged, stagedSha256 });
  return await lake.swap(COMMITTED_KEY, Buffer.from(`${text}\n`), expected);
}

export function encodeStaged(staged: Staged): Buffer {
  return Buffer.from(`${JSON.stringify(stagedSchema.parse(staged))}\n`);
}

/** @throws Failure if the staged entries are missing or differ from the committed ones. */
export async function readStaged(
  lake: ObjectStore,
  { staged, stagedSha256 }: Pick<Committed, 'staged' | 'stagedSha256'>,
): Promise<Staged> {
  const name = `${lake.url}/${staged}`;
  const object = await lake.get(staged);
  if (object === null) throw new Failure(`${name} is missing: put it back from a copy of the lake`);
  if (sha256(object.bytes) !== stagedSha256)
    throw new Failure(`${name} does not have the bytes that were committed`);
  return decodeJson(object.bytes, stagedSchema, name);
}
