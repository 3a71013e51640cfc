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
        'True if its documents were removed on purpose: it is still listed and can be proved, but requests for its documents return 404.',
      ),
    withdrawn: z
      .enum(['pruned', 'lost', 'mistaken'])
      .nullable()
      .describe(
        'Why it was withdrawn; null for almost all. pruned: its documents were removed on purpose. lost: they were lost, and cannot be computed again. mistaken: it was wrong, and the one before it was current again; its documents can still be read.',
      ),
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
    entry: z
      .string()
      .describe(
        'The entry of the transparency log that published the snapshot, as JSON. It contains the SHA-256 of the manifest.',
      ),
    inclusionProof: z
      .string()
      .describe(
        'The proof that the log contains the entry (c2sp.org/tlog-proof, the text of a .tlog-proof file).',
      ),
    checkpoint: z
      .string()
      .describe('The signed head of the log that the proof leads to (c2sp.org/tlog-checkpoint).'),
  })
  .meta({ id: 'SnapshotProof', description: 'The evidence that a snapshot was published as it is served.' });

export type SnapshotProof = z.infer<typeof snapshotProofSchema>;
