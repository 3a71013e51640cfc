import { z } from 'zod';
import { sha256 } from '../lib/hash.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);

const link = z.object({ snapshotId: z.string().min(1), manifestSha256: digest });

/**
 * How much of its newest week a snapshot holds: prompts on engines that were to come, and those that came
 * (docs/schedule.md, Completeness). No document depends on it.
 */
const completeness = z.object({
  newestCycle: z.iso.date(),
  expected: z.number().int().nonnegative(),
  delivered: z.number().int().nonnegative(),
  /** One decimal; null where nothing was expected. */
  percent: z.number().min(0).max(100).nullable(),
});
export type ManifestCompleteness = z.infer<typeof completeness>;

/** What a snapshot consists of and what it was made from; its own bytes are hashed into the pointer. */
export const manifestSchema = z.object({
  format: z.literal(1),
  workspaceId: z.guid(),
  snapshotId: z.string().min(1),
  /** The instant as of which everything was computed. */
  asOf: z.string(),
  methodologyVersion: z.string(),
  codeVersion: z.string(),
  duckdbVersion: z.string(),
  /** Fingerprint of the key that signed these bytes; null: nobody did. Hashed here, so that a signature cannot be taken away. */
  signedBy: digest.nullable(),
  /** The snapshot that was current before this one: the chain. */
  previous: link.nullable(),
  /** Null: not known. Absent from what was published before it was measured: these bytes must encode as they are. */
  completeness: completeness.nullable().optional(),
  /** The lake objects read, by key. */
  inputs: z.array(z.object({ path: z.string(), sha256: digest })),
  /** Every document, by path. */
  documents: z.array(z.object({ path: z.string(), bytes: z.number().int().positive(), sha256: digest })),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** `current.json`: names the snapshot that is served, and its manifest's hash. */
export const pointerSchema = z.object({ format: z.literal(1), ...link.shape });
export type Pointer = z.infer<typeof pointerSchema>;

/**
 * `tombstone.json`: the documents of this snapshot were removed on purpose. Its manifest stays, as the proof of what
 * was published and as a link of the chain.
 */
export const tombstoneSchema = z.object({
  format: z.literal(1),
  workspaceId: z.guid(),
  ...link.shape,
  prunedAt: z.iso.datetime(),
  /** What was removed. */
  documents: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  signedBy: digest.nullable(),
});
export type Tombstone = z.infer<typeof tombstoneSchema>;

/** JSON in canonical form: keys in the schema's order, no white space, one newline at the end. */
export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifestSchema.parse(manifest))}\n`);
}

export function encodePointer(pointer: Pointer): Buffer {
  return Buffer.from(`${JSON.stringify(pointerSchema.parse(pointer))}\n`);
}

export function encodeTombstone(tombstone: Tombstone): Buffer {
  return Buffer.from(`${JSON.stringify(tombstoneSchema.parse(tombstone))}\n`);
}

/**
 * As-of time and the first 16 digits of the content's hash: `20261116T060000.000Z-0123456789abcdef`.
 * The content is what a client can see: methodology, and path and hash of every document.
 */
export function snapshotIdOf(content: Pick<Manifest, 'asOf' | 'methodologyVersion' | 'documents'>): string {
  const described = JSON.stringify([
    content.asOf,
    content.methodologyVersion,
    content.documents.map((document) => [document.path, document.sha256]),
  ]);
  return `${content.asOf.replaceAll(/[-:]/g, '')}-${sha256(described).slice(0, 16)}`;
}

/** The as-of time in a snapshot's id, to the digit; null for what is no such id. */
export function asOfOfId(snapshotId: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d+Z)-/.exec(snapshotId);
  if (match === null) return null;
  const [, year, month, day, hour, minute, rest] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${rest}`;
}
