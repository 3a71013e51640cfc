import { z } from 'zod';
import { decodeCanonical } from '../../lib/decode.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { count, digest, instant, snapshotIdSchema, workspaceIdSchema } from '../manifest.ts';

const at = instant.describe('When the commit of the entry was made. Times never decrease along the log.');
const sequence = z.number().int().positive();

/** A snapshot was published: from then on it is the current one of its workspace. */
const published = z.strictObject({
  kind: z.literal('published'),
  at,
  workspaceId: workspaceIdSchema,
  sequence: sequence.describe(
    '1 for the first publication of the workspace, then increasing by 1; never begins again.',
  ),
  snapshotId: snapshotIdSchema,
  manifestSha256: digest,
  methodologyVersion: z.string(),
  brands: count,
  documents: count,
  bytes: count,
  history: digest.describe("SHA-256 of the workspace's history up to and including this entry."),
});

/**
 * Why a snapshot was withdrawn. `pruned`: its documents may be absent. `lost`: its manifest too, because nobody can bring
 * them back. `mistaken`: everything stays, but it is not current. `removed`: the customer left, and everything goes.
 */
export const withdrawalReasons = ['pruned', 'lost', 'mistaken', 'removed'] as const;
export type WithdrawalReason = (typeof withdrawalReasons)[number];

const withdrawn = z.strictObject({
  kind: z.literal('withdrawn'),
  at,
  workspaceId: workspaceIdSchema,
  snapshotId: snapshotIdSchema,
  reason: z.enum(withdrawalReasons),
  history: digest,
});

/** Names the newest history of every workspace, for readers that start. */
const heads = z.strictObject({ kind: z.literal('heads'), at, heads: digest });

export const entrySchema = z.discriminatedUnion('kind', [published, withdrawn, heads]);
export type LogEntry = z.infer<typeof entrySchema>;
export type PublishedEntry = z.infer<typeof published>;
export type WithdrawnEntry = z.infer<typeof withdrawn>;
/** An entry that changes the history of a workspace. */
export type WorkspaceEntry = PublishedEntry | WithdrawnEntry;

/**
 * An entry of a newer version: of another kind, or with fields or a reason that this one does not know. If it changes the
 * history of a workspace, it names both.
 */
export interface NewerEntry {
  kind: 'newer';
  at: string;
  workspaceId?: string | undefined;
  history?: string | undefined;
  /** What is unknown, in words. */
  unknown: string;
}

const newer = z.looseObject({
  kind: z.string(),
  at,
  workspaceId: workspaceIdSchema.optional(),
  history: digest.optional(),
  reason: z.string().optional(),
});

export function isWorkspaceEntry(entry: LogEntry | NewerEntry): entry is WorkspaceEntry {
  return entry.kind === 'published' || entry.kind === 'withdrawn';
}

/** Canonical JSON: keys in the schema's order, no white space, no newline. */
export function encodeEntry(entry: LogEntry): Buffer {
  return Buffer.from(JSON.stringify(entrySchema.parse(entry)));
}

/** @throws Failure if the bytes are not an entry in canonical form, of this version or a newer one. */
export function decodeEntry(bytes: Buffer, index: number): LogEntry | NewerEntry {
  const name = `entry ${index} of the log`;
  const json: unknown = decodeCanonical(bytes, z.unknown(), name, '');
  const known = entrySchema.safeParse(json);
  if (known.success) return known.data;
  const found = newer.safeParse(json);
  if (!found.success || !known.error.issues.every(isOfNewerVersion))
    throw new Failure(`${name} cannot be read: ${reasonOf(known.error)}`);
  const { at: time, workspaceId, history, kind, reason } = found.data;
  const unknown = `entry ${index} of the log, ${kind}${reason === undefined ? '' : ` ${reason}`}`;
  return { kind: 'newer', at: time, workspaceId, history, unknown };
}

/** True for another kind, another field, or another reason for a withdrawal. */
function isOfNewerVersion({ code, path }: z.core.$ZodIssue): boolean {
  return code === 'unrecognized_keys' || /^(?:kind|reason)$/.test(path.join('.'));
}

/** An entry bundle (c2sp.org/tlog-tiles): each entry after its length as two bytes, big-endian. */
export function encodeBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** @throws Failure if the bytes are not exactly `expected` entries. */
export function decodeBundle(bytes: Buffer, expected: number, name: string): Buffer[] {
  const entries: Buffer[] = [];
  let from = 0;
  while (from + 2 <= bytes.length) {
    const end = from + 2 + bytes.readUInt16BE(from);
    entries.push(bytes.subarray(from + 2, end));
    from = end;
  }
  if (from !== bytes.length || entries.length !== expected)
    throw new Failure(`${name} is not a bundle of ${expected} entries`);
  return entries;
}
