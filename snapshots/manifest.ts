import { z } from 'zod';
import { sha256 } from '../lib/hash.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { SNAPSHOT_ID, brandsOf, isDocumentPath } from './layout.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hexadecimal');
const workspaceId = z.string().regex(new RegExp(`^${UUID_PATTERN}$`), 'expected a UUID in lower case');
const snapshotId = z.string().regex(new RegExp(`^${SNAPSHOT_ID}$`), 'expected the id of a snapshot');
const instant = z.iso.datetime('expected an instant in UTC');
const count = z.number().int().nonnegative();

const link = { snapshotId, manifestSha256: digest };
/** What names a manifest: the pointer, or the manifest of the snapshot after it. */
export type Link = { snapshotId: string; manifestSha256: string };

/**
 * How much of its newest week a snapshot holds: prompts on engines that were to come, and those that came
 * (docs/schedule.md, Completeness). No document depends on it.
 */
const completeness = z.strictObject({
  newestCycle: z.iso.date(),
  expected: count,
  delivered: count,
  /** One decimal; null where nothing was expected. */
  percent: z.number().min(0).max(100).nullable(),
});
export type ManifestCompleteness = z.infer<typeof completeness>;

const documentEntry = z.strictObject({
  path: z.string().refine(isDocumentPath, 'expected the path of a document'),
  bytes: z.number().int().positive(),
  sha256: digest,
});

/** What the manifest of a snapshot and the histories after it say of its publication. */
const publication = {
  /** 1 for the first snapshot of the workspace, then one more for each. */
  sequence: z.number().int().positive(),
  /** The instant as of which everything was computed. */
  asOf: instant,
  /** When the job wrote the manifest, by its own clock; never before that of the previous snapshot. */
  publishedAt: instant,
  methodologyVersion: z.string(),
  codeVersion: z.string(),
  duckdbVersion: z.string(),
  /** Fingerprint of the key that signed the manifest; null: not signed. Hashed there, so that a signature cannot be taken away. */
  signedBy: digest.nullable(),
};

/** What a snapshot consists of and what it was made from; its own bytes are hashed into the pointer. */
export const manifestSchema = z
  .strictObject({
    format: z.literal(2),
    workspaceId,
    /** The workspace's name as tracked then; null: not known. */
    workspaceName: z.string().nullable(),
    snapshotId,
    ...publication,
    /** The snapshot that was current before this one: the chain. */
    previous: z.strictObject(link).nullable(),
    /** SHA-256 of the list of all snapshots before this one; null for the first. */
    history: digest.nullable(),
    /** Null: not known. */
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
      refuse('the documents listed are not those that the id of the snapshot stands for');
  });

export type Manifest = z.infer<typeof manifestSchema>;

const pastSnapshot = z.strictObject({
  ...link,
  ...publication,
  brands: count,
  documents: count,
  bytes: count,
});
/** What is worth knowing of a published snapshot without its manifest. */
export type PastSnapshot = z.infer<typeof pastSnapshot>;

/** All snapshots before one, oldest first. */
export const historySchema = z.strictObject({ format: z.literal(1), snapshots: z.array(pastSnapshot) });
export type History = z.infer<typeof historySchema>;

/** The lake objects that were read, in order. */
export const inputsSchema = z.strictObject({
  format: z.literal(1),
  inputs: z.array(z.strictObject({ path: z.string(), sha256: digest })),
});
export type Inputs = z.infer<typeof inputsSchema>['inputs'];

/** `current.json`: names the snapshot that is served, and its manifest's hash. */
export const pointerSchema = z.strictObject({ format: z.literal(2), ...link });
export type Pointer = z.infer<typeof pointerSchema>;

/**
 * A tombstone: the documents of this snapshot were removed on purpose. Its manifest stays, as the proof of what was
 * published and as a link of the chain.
 */
export const tombstoneSchema = z.strictObject({
  format: z.literal(2),
  workspaceId,
  ...link,
  prunedAt: instant,
  /** What was removed. */
  documents: count,
  bytes: count,
  signedBy: digest.nullable(),
});
export type Tombstone = z.infer<typeof tombstoneSchema>;

/**
 * JSON in canonical form: keys in the schema's order, no white space, one newline at the end. Readers refuse the same
 * content in any other form.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): Buffer {
  return Buffer.from(`${JSON.stringify(schema.parse(value))}\n`);
}

export function encodeManifest(manifest: Manifest): Buffer {
  return encode(manifestSchema, manifest);
}

export function encodePointer({ snapshotId: id, manifestSha256 }: Link): Buffer {
  return encode(pointerSchema, { format: 2, snapshotId: id, manifestSha256 });
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
 * As-of time and the first 16 digits of the content's hash: `20261116T060000.000Z-0123456789abcdef`. The content is
 * what a client can see: methodology, and path and hash of every document. When it was published and what came before
 * are no part of it, so that the same inputs have the same id whenever they are published.
 */
export function snapshotIdOf(content: Pick<Manifest, 'asOf' | 'methodologyVersion' | 'documents'>): string {
  const described = JSON.stringify([
    content.asOf,
    content.methodologyVersion,
    content.documents.map((document) => [document.path, document.sha256]),
  ]);
  return `${content.asOf.replaceAll(/[-:]/g, '')}-${sha256(described).slice(0, 16)}`;
}

/** A published snapshot as the histories after it list it. */
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

/** The as-of time in a snapshot's id, to the digit; null for any other text. */
export function asOfOfId(id: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d+Z)-/.exec(id);
  if (match === null) return null;
  const [, year, month, day, hour, minute, rest] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${rest}`;
}
