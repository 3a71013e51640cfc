import { Failure } from '../../lib/failure.ts';
import { judgeSignature } from '../../lib/signing.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { tombstoneKey, tombstoneSignatureKey } from '../layout.ts';
import { decodeTombstone } from '../read.ts';
import type { Member } from './chain.ts';
import type { Reporter } from './findings.ts';

/**
 * True where the documents of a snapshot were pruned on purpose, whether or not the tombstone that says so holds: one
 * that does not is reported once, instead of every document that is gone.
 */
export async function checkTombstone(
  store: ObjectStore,
  workspaceId: string,
  { folder, link, manifest }: Member,
  trust: Trust | null,
  report: Reporter,
): Promise<boolean> {
  const { snapshotId } = link;
  const concerned = { snapshotId, asOf: manifest.asOf };
  const key = tombstoneKey(workspaceId, snapshotId);
  const signatureKey = tombstoneSignatureKey(workspaceId, snapshotId);
  const hasSignature = folder.parts.has('tombstoneSignature');
  const object = folder.parts.has('tombstone') ? await store.get(key) : null;
  if (object === null) {
    if (hasSignature) {
      report.problem('missing', [key], 'the tombstone to this signature is missing', concerned);
    }
    return false;
  }
  const tombstone = orNull(() => decodeTombstone(object.bytes, key));
  const isAboutThis =
    tombstone?.workspaceId === workspaceId &&
    tombstone.snapshotId === snapshotId &&
    tombstone.manifestSha256 === link.manifestSha256;
  if (tombstone === null || !isAboutThis) {
    report.problem('altered', [key], 'this is not the tombstone of the snapshot that it lies in', concerned);
    return true;
  }
  const signature = hasSignature ? await store.get(signatureKey) : null;
  const { signedBy } = tombstone;
  if (signedBy === null) {
    if (trust !== null || manifest.signedBy !== null) {
      report.problem('unsigned', [key], 'this tombstone is not signed', concerned);
    } else if (signature !== null) {
      report.problem('extra', [signatureKey], 'the tombstone does not name this signature', concerned);
    }
  } else if (signature === null) {
    report.problem('missing', [signatureKey], 'the signature of this tombstone is missing', concerned);
  } else if (trust !== null) {
    const verdict = judgeSignature(trust, signedBy, object.bytes, signature.bytes);
    if (verdict === 'foreign') {
      const message = `this tombstone is signed with a key that is not trusted, ${signedBy}`;
      report.problem('foreign key', [key, signatureKey], message, concerned);
    }
    if (verdict === 'wrong') {
      report.problem(
        'wrong signature',
        [signatureKey],
        'this signature is not over the tombstone',
        concerned,
      );
    }
  }
  return true;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
