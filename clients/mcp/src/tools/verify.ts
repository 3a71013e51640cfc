import { VerificationError, verifyDocument } from 'sightline-client/verify';
import type { DocumentEvidence } from 'sightline-client/verify';
import { z } from 'zod';
import { documentNames, documents } from '../documents.ts';
import { ToolError } from '../result.ts';
import { brandId, looseShapeOf, outputOf, week } from '../schemas.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';
import { snapshotOf } from '../weeks.ts';

const shape = looseShapeOf(
  z.object({
    isVerified: z.boolean().describe('True if document, manifest, log and signature match.'),
    problem: z.string().nullable().describe('What does not match; null if everything does.'),
    document: z.string(),
    publishedAt: z.string().nullable().describe('When the snapshot was published, by the signed log.'),
    signedBy: z.string().nullable().describe('Fingerprint of the public key that verified the log.'),
    log: z
      .object({ origin: z.string(), index: z.number(), size: z.number(), rootHash: z.string() })
      .nullable()
      .describe(
        'The transparency log that contains the snapshot: its name, the entry, the number of entries.',
      ),
  }),
);

/** Verifies that a document has the bytes that were published. */
export const verifyPublished: Register = readOnlyTool({
  name: 'verify_document',
  title: 'Verify a document',
  description:
    'Verifies, on this machine and with the public key of the operator, that a document has exactly the bytes that were published in a week, by the signed transparency log. Takes three requests of the allowance.',
  input: z.strictObject({
    brandId,
    document: z.enum(documentNames).describe('Which document.'),
    week: week.optional().describe(`The week; default: the current one. ${week.description}`),
  }),
  output: outputOf(shape),
  read: async (input, { client, weeks, publicKey }, options) => {
    if (publicKey === null)
      throw new ToolError(
        'not_configured',
        'SIGHTLINE_PUBLIC_KEY_FILE is not set: it names a file with the public key, which you get from the operator',
      );
    const snapshots = await weeks.list(options);
    const current = snapshots.find(({ isCurrent }) => isCurrent) ?? snapshots[0]!;
    const { id: snapshotId, asOf } = input.week === undefined ? current : snapshotOf(snapshots, input.week);
    const { data: proof } = await client.getSnapshotProof(snapshotId, options);
    const { body } = await client[documents[input.document].past](snapshotId, input.brandId, options);
    const path = `brands/${input.brandId}/${input.document}`;
    const data = await verdictOf({ proof, publicKey, snapshotId, path, body }, asOf);
    return { snapshotId, asOf, data: { document: path, ...data }, untrusted: [], less: '' };
  },
});

/** @param listedAsOf the as-of time in the list of snapshots, by which the week was found; the list is not signed */
async function verdictOf(evidence: DocumentEvidence, listedAsOf: string) {
  try {
    const { asOf, publishedAt, signedBy, log } = await verifyDocument(evidence);
    if (asOf !== listedAsOf) {
      const message = `it was published as of ${asOf}, not ${listedAsOf}`;
      throw new VerificationError('snapshot', message);
    }
    return { isVerified: true, problem: null, publishedAt, signedBy, log };
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    if (error.code === 'public_key')
      throw new ToolError('not_configured', `SIGHTLINE_PUBLIC_KEY_FILE: ${error.message}`);
    const problem = `${error.code}: ${error.message}`;
    return { isVerified: false, problem, publishedAt: null, signedBy: null, log: null };
  }
}
