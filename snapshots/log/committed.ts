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
 * The last head that the log signed, kept in the lake. Writing it, by compare-and-swap, is the moment at which
 * entries are in the log; tiles and the public checkpoint follow from it, and any later append completes them. The
 * store may be written by a thief without the lake: what the store says of the log is never signed onto.
 */
const committedSchema = z.strictObject({
  format: z.literal(1),
  checkpoint: z.string(),
  staged: z.string(),
  stagedSha256: z.string(),
});

export interface Committed {
  checkpoint: Checkpoint;
  /** Of the bytes that the checkpoint was signed as. */
  note: string;
  staged: string;
  stagedSha256: string;
  /** For compare-and-swap. */
  version: string;
}

/** The newest snapshot of a workspace that the log has. */
const headSchema = z.strictObject({ sequence: z.int().positive(), manifestSha256: z.string() });
export type LoggedHead = z.infer<typeof headSchema>;
export type LoggedHeads = ReadonlyMap<string, LoggedHead>;

/** What a head adds, and how far each workspace is logged then. */
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

/** False where another append committed meanwhile. */
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

/** @throws Failure where the staged entries are missing or are not those that were committed. */
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
