import { z } from 'zod';
import { formats } from '../lib/store/formats.ts';
import { sha256 } from '../lib/hash.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { SNAPSHOT_ID, brandsOf, isDocumentPath } from './layout.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hexadecimal');
const workspaceId = z.string().regex(new RegExp(`^${UUID_PATTERN}$`), 'expected a UUID in lower case');
const snapshotId = z.string().regex(new RegExp(`^${SNAPSHOT_ID}$`), 'expected the id of a snapshot');
const instant = z.iso.datetime('expected an instant in UTC');
const count = z.number().int().nonnegative();

const link = { snapshotId, manifestSha256: digest };
/** Names a manifest by id and hash; part of the pointer, and of the manifest of the next snapshot. */
export type Link = { snapshotId: string; manifestSha256: string };

/**
 * How much of its newest week was delivered: pairs of prompt and engine that were expected, and those that have runs
 * (docs/schedule.md, Completeness). No document depends on it.
 */
const completeness = z.strictObject({
  newestCycle: z.iso.date(),
  expected: count,
  delivered: count,
  /** Percentage with one decimal; null if nothing was expected. */
  percent: z.number().min(0).max(100).nullable(),
});
export type ManifestCompleteness = z.infer<typeof completeness>;

const documentEntry = z.strictObject({
  path: z.string().refine(isDocumentPath, 'expected the path of a document'),
  bytes: z.number().int().positive(),
  sha256: digest,
});

/** The fields about a publication, in the manifest of the snapshot and in later histories. */
const publication = {
  /** 1 for the first snapshot of the workspace, then increasing by 1. */
  sequence: z.number().int().positive(),
  /** The instant as of which everything was computed. */
  asOf: instant,
  /** When the job wrote the manifest, by its own clock; never before that of the previous snapshot. */
  publishedAt: instant,
  methodologyVersion: z.string(),
  codeVersion: z.string(),
  duckdbVersion: z.string(),
  /**
   * Fingerprint of the key that signed the manifest; null if it is not signed. It is part of the manifest's hashed bytes,
   * so the removal of a signature is detected.
   */
  signedBy: digest.nullable(),
};

/** The documents of a snapshot and what they were computed from. The pointer contains the SHA-256 of the manifest. */
export const manifestSchema = z
  .strictObject({
    format: z.literal(formats.store),
    workspaceId,
    /** The workspace's name in the tracking data; null if unknown. */
    workspaceName: z.string().nullable(),
    snapshotId,
    ...publication,
    /** The link to the snapshot that was current before this one; null for the first. */
    previous: z.strictObject(link).nullable(),
    /** SHA-256 of the list of all snapshots before this one; null for the first. */
    history: digest.nullable(),
    /** Null if unknown. */
    completeness: completeness.nullable(),
    /** SHA-256 of the list of the lake objects that were read. */
    inputs: digest,
    /** Every document, by path. */
    documents: z.array(documentEntry),
  })
  .superRefine((manifest, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const { documents, previous, history, sequence } = manifest;
    if (documents.some(({ path }, index) => index > 0 && path <= documents[index - 1]!.path))
      refuse('the documents are not in order, or one is listed twice');
    if ((sequence === 1) !== (previous === null) || (previous === null) !== (history === null))
      refuse('the first snapshot has no previous one and no history, every other has both');
    if (snapshotIdOf(manifest) !== manifest.snapshotId)
      refuse('the listed documents do not match the id of the snapshot');
  });

export type Manifest = z.infer<typeof manifestSchema>;

const pastSnapshot = z.strictObject({
  ...link,
  ...publication,
  brands: count,
  documents: count,
  bytes: count,
});
/** A published snapshot as histories list it. */
export type PastSnapshot = z.infer<typeof pastSnapshot>;

/** All snapshots before one, oldest first. */
export const historySchema = z.strictObject({ format: z.literal(1), snapshots: z.array(pastSnapshot) });
export type History = z.infer<typeof historySchema>;

/** The lake objects that were read, by path. */
export const inputsSchema = z.strictObject({
  format: z.literal(1),
  inputs: z.array(z.strictObject({ path: z.string(), sha256: digest })),
});
export type Inputs = z.infer<typeof inputsSchema>['inputs'];

/** The pointer, `current.json`: the id of the current snapshot, and its manifest's hash. */
export const pointerSchema = z.strictObject({ format: z.literal(formats.store), ...link });
export type Pointer = z.infer<typeof pointerSchema>;

/**
 * A tombstone: the documents of this snapshot were removed on purpose. Its manifest stays, as proof of what was
 * published and as part of the chain.
 */
export const tombstoneSchema = z.strictObject({
  format: z.literal(formats.store),
  workspaceId,
  ...link,
  prunedAt: instant,
  /** Number and total size of the removed documents. */
  documents: count,
  bytes: count,
  signedBy: digest.nullable(),
});
export type Tombstone = z.infer<typeof tombstoneSchema>;

/**
 * JSON in canonical form: keys in the schema's order, no white space, one newline at the end. Readers refuse any other
 * form.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): Buffer {
  return Buffer.from(`${JSON.stringify(schema.parse(value))}\n`);
}

export function encodeManifest(manifest: Manifest): Buffer {
  return encode(manifestSchema, manifest);
}

export function encodePointer({ snapshotId: id, manifestSha256 }: Link): Buffer {
  return encode(pointerSchema, { format: formats.store, snapshotId: id, manifestSha256 });
}

export function encodeTombstone(tombstone: Tombstone): Buffer {
  return encode(tombstoneSchema, tombstone);
}

/** @param snapshots oldest first */
export function encodeHistory(snapshots: readonly PastSnapshot[]): Buffer {
  return encode(historySchema, { format: 1, snapshots: [...snapshots] });
}

export function encodeInputs(inputs: Inputs): Buffer {
  return encode(inputsSchema, { format: 1, inputs: inputs.toSorted((a, b) => (a.path < b.path ? -1 : 1)) });
}

/**
 * The as-of time and the first 16 digits of a hash: `20261116T060000.000Z-0123456789abcdef`. The hash covers what a
 * client can see: the methodology version, and path and hash of every document. It does not cover the publication time
 * and the earlier snapshots, so the same inputs always give the same id.
 */
export function snapshotIdOf(content: Pick<Manifest, 'asOf' | 'methodologyVersion' | 'documents'>): string {
  const described = JSON.stringify([
    content.asOf,
    content.methodologyVersion,
    content.documents.map((document) => [document.path, document.sha256]),
  ]);
  return `${content.asOf.replaceAll(/[-:]/g, '')}-${sha256(described).slice(0, 16)}`;
}

/** The entry of a published snapshot in later histories. */
export function summaryOf(manifest: Manifest, manifestSha256: string): PastSnapshot {
  const { documents } = manifest;
  return {
    snapshotId: manifest.snapshotId,
    manifestSha256,
    sequence: manifest.sequence,
    asOf: manifest.asOf,
    publishedAt: manifest.publishedAt,
    methodologyVersion: manifest.methodologyVersion,
    codeVersion: manifest.codeVersion,
    duckdbVersion: manifest.duckdbVersion,
    signedBy: manifest.signedBy,
    brands: brandsOf(documents).size,
    documents: documents.length,
    bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The as-of time in a snapshot's id, with the same decimals; null if the text is not an id. */
export function asOfOfId(id: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d+Z)-/.exec(id);
  if (match === null) return null;
  const [, year, month, day, hour, minute, rest] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${rest}`;
}
