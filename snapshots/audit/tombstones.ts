import { sha256 } from '../../lib/hash.ts';
import { judgeSignature } from '../../lib/signing.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { tombstoneKey, tombstoneSignatureKey } from '../layout.ts';
import type { Tombstone } from '../manifest.ts';
import { decodeTombstone } from '../read.ts';
import type { Member } from './chain.ts';
import type { Reporter } from './findings.ts';
import { orNull } from './inventory.ts';

/**
 * True where the documents of a snapshot were pruned on purpose, whether or not the tombstone that says so holds: one
 * that does not is reported once, instead of every document that is gone.
 */
export async function checkTombstone(
  store: ObjectStore,
  workspaceId: string,
  member: Member,
  trust: Trust | null,
  report: Reporter,
): Promise<boolean> {
  const { folder, link, manifest } = member;
  const concerned = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const key = tombstoneKey(workspaceId, link.snapshotId);
  const object = folder.parts.has('tombstone') ? await store.get(key) : null;
  if (object === null) return explainSignatures(member, key, report);
  const tombstone = orNull(() => decodeTombstone(object.bytes, key));
  const isAboutThis =
    tombstone?.workspaceId === workspaceId &&
    tombstone.snapshotId === link.snapshotId &&
    tombstone.manifestSha256 === link.manifestSha256;
  if (tombstone === null || !isAboutThis) {
    report.problem('altered', [key], 'this is not the tombstone of the snapshot that it lies in', concerned);
  } else {
    await checkSignature(store, member, { key, bytes: object.bytes, tombstone }, trust, report);
  }
  return true;
}

/** A signature is written before its tombstone, and the tombstone before any document goes. */
function explainSignatures({ folder, link, manifest }: Member, key: string, report: Reporter): boolean {
  const signatures = [...folder.tombstoneSignatures.values()];
  if (signatures.length === 0) return false;
  const concerned = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const isWhole = manifest.documents.every(({ path }) => folder.documents.has(path));
  if (isWhole) {
    report.note('pruning unfinished', signatures, 'pruning died, or is at work, before it began', concerned);
  } else {
    const message = 'documents are missing, and so is the tombstone that was signed here';
    report.problem('missing', [key, ...signatures], message, concerned);
  }
  return !isWhole;
}

async function checkSignature(
  store: ObjectStore,
  { folder, link, manifest }: Member,
  { key, bytes, tombstone }: { key: string; bytes: Buffer; tombstone: Tombstone },
  trust: Trust | null,
  report: Reporter,
): Promise<void> {
  const concerned = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const { signedBy } = tombstone;
  const hash = sha256(bytes);
  const others = [...folder.tombstoneSignatures].filter(
    ([of]) => signedBy === null || of !== hash.slice(0, 16),
  );
  if (others.length > 0) {
    const message = 'the signature of a tombstone that another pruning was faster to write';
    report.note(
      'pruning unfinished',
      others.map(([, other]) => other),
      message,
      concerned,
    );
  }
  if (signedBy === null) {
    if (trust === null && manifest.signedBy === null) return;
    return report.problem('unsigned', [key], 'this tombstone is not signed', concerned);
  }
  const signatureKey = tombstoneSignatureKey(manifest.workspaceId, link.snapshotId, hash);
  const signature = await store.get(signatureKey);
  if (signature === null) {
    const message = 'the signature of this tombstone is missing, or the tombstone was altered';
    return report.problem('missing', [signatureKey, key], message, concerned);
  }
  const verdict = trust === null ? 'valid' : judgeSignature(trust, signedBy, bytes, signature.bytes);
  if (verdict === 'foreign') {
    const message = `this tombstone is signed with a key that is not trusted, ${signedBy}`;
    report.problem('foreign key', [key, signatureKey], message, concerned);
  }
  if (verdict === 'wrong') {
    report.problem('wrong signature', [signatureKey], 'this signature is not over the tombstone', concerned);
  }
}
