import { z } from 'zod';
import { count, instant } from '../documents/shared.ts';

const sequence = z.number().int().positive();

const snapshotSummary = z
  .strictObject({
    id: z.string().describe('Id of the snapshot, as used in the paths and in X-Snapshot-Id.'),
    sequence: sequence.describe('1 for the first snapshot of the workspace, then one more for each.'),
    asOf: z.iso.datetime().describe('The instant as of which everything in it was computed, UTC.'),
    publishedAt: instant.describe('When it was published, UTC.'),
    methodologyVersion: z.string().describe('The version of the methodology that it was computed by.'),
    brands: count.describe('How many brands it has.'),
    isCurrent: z
      .boolean()
      .describe('True for the snapshot that the operations without a snapshot id answer from.'),
    isPruned: z
      .boolean()
      .describe(
        'True where its documents were removed on purpose: it is listed, and asking for it gives 404.',
      ),
    isSigned: z.boolean().describe('True where its manifest is signed.'),
  })
  .meta({ id: 'Snapshot', description: 'A published snapshot of the workspace.' });

/** All snapshots of a workspace, newest first. */
export const snapshotsSchema = z
  .array(snapshotSummary)
  .meta({ id: 'Snapshots', description: 'All published snapshots of the workspace, newest first.' });

export type Snapshots = z.infer<typeof snapshotsSchema>;

/** What shows, without access to the store, that a document was published, when and by whom. */
export const snapshotProofSchema = z
  .strictObject({
    manifest: z
      .string()
      .describe(
        'The exact text of the manifest: it names every document of the snapshot with its size and its SHA-256. The text ends with a newline.',
      ),
    signature: z
      .string()
      .nullable()
      .describe('Ed25519 signature over the bytes of the manifest, in base64; null where it is not signed.'),
    publicKeyFingerprint: z
      .string()
      .nullable()
      .describe(
        'SHA-256, in hexadecimal, of the DER form of the public key that verifies the signature; null where it is not signed.',
      ),
    checkpoint: z
      .string()
      .nullable()
      .describe(
        'The signed head of the transparency log that the proof leads to (c2sp.org/tlog-checkpoint); null before the log has the snapshot.',
      ),
    inclusionProof: z
      .string()
      .nullable()
      .describe(
        'That the log has the snapshot (c2sp.org/tlog-proof, the text of a .tlog-proof file); null before it has.',
      ),
  })
  .meta({ id: 'SnapshotProof', description: 'The evidence that a snapshot was published as it is served.' });

export type SnapshotProof = z.infer<typeof snapshotProofSchema>;
