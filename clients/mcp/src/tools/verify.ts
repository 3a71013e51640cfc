import { VerificationError, verifyDocument } from 'sightline-client/verify';
import type { DocumentEvidence } from 'sightline-client/verify';
import { z } from 'zod';
import { brand, document, week } from '../arguments.ts';
import { brandIdOf } from '../brand.ts';
import { documents } from '../documents.ts';
import { ToolError } from '../result.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';
import { currentOf, snapshotOf } from '../weeks.ts';

/** Verifies that a document has the bytes that were published. */
export const verifyPublished: Register = readOnlyTool({
  name: 'verify_document',
  title: 'Verify a document',
  description:
    'Verifies by the public key of the operator that a document has exactly the bytes that were published: isVerified, or problem. log: the entry of the signed transparency log that published it. Takes three requests.',
  input: z.strictObject({ brand, document, week: week.optional() }),
  read: async (input, { client, weeks, publicKey }, options) => {
    if (publicKey === null)
      throw new ToolError(
        'not_configured',
        'SIGHTLINE_PUBLIC_KEY_FILE is not set: it names a file with the public key, which you get from the operator',
      );
    const snapshots = await weeks.list(options);
    const { id: snapshotId, asOf } =
      input.week === undefined ? currentOf(snapshots) : snapshotOf(snapshots, input.week);
    const brandId = await brandIdOf(input.brand, client, options);
    const { data: proof } = await client.getSnapshotProof(snapshotId, options);
    const { body } = await client[documents[input.document].past](snapshotId, brandId, options);
    const path = `brands/${brandId}/${input.document}`;
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
    if (error instanceof VerificationError && error.code === 'public_key')
      throw new ToolError('not_configured', `SIGHTLINE_PUBLIC_KEY_FILE: ${error.message}`);
    if (error instanceof VerificationError) {
      const problem = `${error.code}: ${error.message}`;
      return { isVerified: false, problem, publishedAt: null, signedBy: null, log: null };
    }
    throw error;
  }
}
