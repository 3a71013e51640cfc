import { z } from 'zod';
import { decodeKnown } from '../lib/decode.ts';
import type { Decoded } from '../lib/decode.ts';
import { sha256 } from '../lib/hash.ts';
import { compareText } from '../lib/methodology/text.ts';
import { formats } from '../lib/store/formats.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';
import { SNAPSHOT_ID, isDocumentPath, isKnownDocument } from './layout.ts';

export const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hexadecimal');
export const workspaceIdSchema = z
  .string()
  .regex(new RegExp(`^${UUID_PATTERN}$`), 'expected a UUID in lower case');
export const snapshotIdSchema = z
  .string()
  .regex(new RegExp(`^${SNAPSHOT_ID}$`), 'expected the id of a snapshot');
export const instant = z.iso.datetime('expected an instant in UTC');
export const count = z.number().int().nonnegative();

/**
 * How much of its week was delivered: pairs of prompt and engine that were expected, and those that have runs
 * (docs/operations.md, Incomplete weeks). No document depends on it.
 */
const completeness = z.strictObject({
  newestCycle: z.iso.date(),
  expected: count,
  delivered: count,
  percent: z
    .number()
    .min(0)
    .max(100)
    .nullable()
    .describe('Percentage with one decimal; null if nothing was expected.'),
});
export type ManifestCompleteness = z.infer<typeof completeness>;

const documentEntry = z.strictObject({
  path: z.string().refine(isDocumentPath, 'expected the path of a document'),
  bytes: z.number().int().positive(),
  sha256: digest,
});

/**
 * The documents of a snapshot and what they were computed from. When it was published, and after which one, are facts of
 * the log (log/entries.ts).
 */
export const manifestSchema = z
  .strictObject({
    format: z.literal(formats.store),
    workspaceId: workspaceIdSchema,
    workspaceName: z.string().nullable().describe('In the tracking data; null if unknown.'),
    snapshotId: snapshotIdSchema,
    asOf: instant.describe('The instant as of which everything was computed.'),
    methodologyVersion: z.string(),
    codeVersion: z.string(),
    duckdbVersion: z.string(),
    completeness: completeness.nullable().describe('Null if unknown.'),
    inputs: digest.describe('SHA-256 of the list of the lake objects that were read.'),
    documents: z.array(documentEntry).describe('Every document, by path.'),
  })
  .refine((manifest): boolean => snapshotIdOf(manifest) === manifest.snapshotId, {
    error: 'the listed documents do not match the id of the snapshot',
  });

export type Manifest = z.infer<typeof manifestSchema>;

/** Names a manifest by snapshot and hash. */
export type Link = { snapshotId: string; manifestSha256: string };

/** The lake objects that were read, by path. */
export const inputsSchema = z.strictObject({
  format: z.literal(1),
  inputs: z.array(z.strictObject({ path: z.string(), sha256: digest })),
});
export type Inputs = z.infer<typeof inputsSchema>['inputs'];

/**
 * JSON in canonical form: no white space, one newline at the end. Writers put keys in the schema's order; readers accept
 * any order.
 */
export function encode<T>(schema: z.ZodType<T>, value: T): Buffer {
  return Buffer.from(`${JSON.stringify(schema.parse(value))}\n`);
}

export function encodeManifest(manifest: Manifest): Buffer {
  return encode(manifestSchema, manifest);
}

/**
 * @param name of the object, for the message
 * @throws Failure if the bytes are not a manifest in canonical form, NewerVersion if its format is newer.
 */
export function decodeManifest(bytes: Buffer, name: string): Decoded<Manifest> {
  const { value, unknown } = decodeKnown(bytes, manifestSchema, name);
  const documents = value.documents.filter(({ path }) => !isKnownDocument(path)).map(({ path }) => path);
  return { value, unknown: [...unknown, ...documents] };
}

export function encodeInputs(inputs: Inputs): Buffer {
  return encode(inputsSchema, { format: 1, inputs: inputs.toSorted((a, b) => compareText(a.path, b.path)) });
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

/** The as-of time in a snapshot's id, with the same decimals; null if the text is not an id. */
export function asOfOfId(id: string): string | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d+Z)-/.exec(id);
  if (match === null) return null;
  const [, year, month, day, hour, minute, rest] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${rest}`;
}
