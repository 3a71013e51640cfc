import { z } from 'zod';
import { count, instant } from '../documents/shared.ts';

const sequence = z.number().int().positive();

const snapshotSummary = z
  .strictObject({
    id: z.string().describe('Id of the snapshot, as used in the paths and in X-Snapshot-Id.'),
    sequence: sequence.describe('1 for the first snapshot of the workspace, then increasing by 1.'),
    asOf: z.iso.datetime().describe('The instant as of which its documents were computed, UTC.'),
    publishedAt: instant.describe('When it was published, UTC.'),
    methodologyVersion: z.string().describe('The version of the methodology that its documents follow.'),
    brands: count.describe('Number of brands in it.'),
    isCurrent: z
      .boolean()
      .describe('True for the snapshot that the operations without a snapshot id return.'),
    isPruned: z
      .boolean()
      .describe(
        'True if its documents were removed on purpose: it is still listed, but requests for it return 404.',
      ),
    isSigned: z.boolean().describe('True if its manifest is signed.'),
  })
  .meta({ id: 'Snapshot', description: 'A published snapshot of the workspace.' });

/** All snapshots of a workspace, newest first. */
export const snapshotsSchema = z
  .array(snapshotSummary)
  .meta({ id: 'Snapshots', description: 'All published snapshots of the workspace, newest first.' });

export type Snapshots = z.infer<typeof snapshotsSchema>;

/** Proves, without access to the store, that a document was published, when and by whom. */
export const snapshotProofSchema = z
  .strictObject({
    manifest: z
      .string()
      .describe(
        'The exact text of the manifest. It lists every document of the snapshot with its size and its SHA-256, and ends with a newline.',
      ),
    signature: z
      .string()
      .nullable()
      .describe('Ed25519 signature over the bytes of the manifest, in base64; null if it is not signed.'),
    publicKeyFingerprint: z
      .string()
      .nullable()
      .describe(
        'SHA-256, in hexadecimal, of the DER form of the public key that verifies the signature; null if it is not signed.',
      ),
    checkpoint: z
      .string()
      .nullable()
      .describe(
        'The signed head of the transparency log that the proof leads to (c2sp.org/tlog-checkpoint); null until the log contains the snapshot.',
      ),
    inclusionProof: z
      .string()
      .nullable()
      .describe(
        'The proof that the log contains the snapshot (c2sp.org/tlog-proof, the text of a .tlog-proof file); null until then.',
      ),
  })
  .meta({ id: 'SnapshotProof', description: 'The evidence that a snapshot was published as it is served.' });

export type SnapshotProof = z.infer<typeof snapshotProofSchema>;
