import { sha256 } from '../../../lib/hash.ts';
import { judgeSignature } from '../../signing.ts';
import type { Trust } from '../../signing.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { tombstoneKey, tombstoneSignatureKey } from '../../layout.ts';
import type { Tombstone } from '../../manifest.ts';
import { decodeTombstone } from '../../read.ts';
import type { Chain, Member } from './chain.ts';
import type { Reporter } from '../findings.ts';
import { orNull } from './inventory.ts';

/** The keys that may sign a tombstone. */
export interface Signers {
  trust: Trust | null;
  /** Fingerprints of the keys that signed manifests of the chain; used if no public keys are trusted. */
  inChain: ReadonlySet<string>;
}

export function signersOf({ members }: Chain, trust: Trust | null): Signers {
  return { trust, inChain: new Set(members.flatMap(({ manifest }) => manifest.signedBy ?? [])) };
}

/**
 * Returns true if the snapshot has a tombstone, even an invalid one: an invalid tombstone is reported once, instead of
 * every missing document.
 */
export async function checkTombstone(
  store: ObjectStore,
  workspaceId: string,
  member: Member,
  { signers, isCurrent }: { signers: Signers; isCurrent: boolean },
  report: Reporter,
): Promise<boolean> {
  const { folder, link, manifest } = member;
  const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const key = tombstoneKey(workspaceId, link.snapshotId);
  const object = folder.hasTombstone ? await store.get(key) : null;
  if (object === null) return explainSignatures(member, key, report);
  const tombstone = orNull(() => decodeTombstone(object.bytes, key));
  const isAboutThis = tombstone !== null && isTombstoneOf(tombstone, member, workspaceId);
  if (isCurrent) {
    report.problem('pruned_current', [key], 'the current snapshot has a tombstone', snapshot);
  } else if (!isAboutThis) {
    report.problem('altered', [key], 'this is not the tombstone of the snapshot that it names', snapshot);
  } else if (await checkSignature(store, member, { key, bytes: object.bytes, tombstone }, signers, report)) {
    notePruned(key, tombstone, member, report);
  }
  return !isCurrent;
}

function isTombstoneOf(tombstone: Tombstone, { link, manifest }: Member, workspaceId: string): boolean {
  return (
    tombstone.workspaceId === workspaceId &&
    tombstone.snapshotId === link.snapshotId &&
    tombstone.manifestSha256 === link.manifestSha256 &&
    tombstone.documents === manifest.documents.length &&
    tombstone.bytes === manifest.documents.reduce((sum, { bytes }) => sum + bytes, 0) &&
    tombstone.prunedAt >= manifest.publishedAt
  );
}

function notePruned(key: string, tombstone: Tombstone, { link, manifest }: Member, report: Reporter): void {
  const { documents, prunedAt, signedBy } = tombstone;
  const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const what = `${documents} documents were removed at ${prunedAt}`;
  if (signedBy === null)
    report.note('unsigned_tombstone', [key], `${what}; the tombstone is not signed`, snapshot);
  else report.note('pruned', [key], `${what}, signed with the key ${signedBy}`, snapshot);
}

/** A signature is written before its tombstone, and the tombstone before any document is removed. */
function explainSignatures({ folder, link, manifest }: Member, key: string, report: Reporter): boolean {
  const signatures = [...folder.tombstoneSignatures.values()];
  if (signatures.length === 0) return false;
  const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const isWhole = manifest.documents.every(({ path }) => folder.documents.has(path));
  if (isWhole) {
    report.note(
      'pruning_unfinished',
      signatures,
      'pruning was killed before it began, or is still running',
      snapshot,
    );
  } else {
    const message = 'documents are missing, and the tombstone of this signature is missing too';
    report.problem('missing', [key, ...signatures], message, snapshot);
  }
  return !isWhole;
}

/** Reports an invalid signature; true if it is valid, or none is needed. */
async function checkSignature(
  store: ObjectStore,
  { folder, link, manifest }: Member,
  { key, bytes, tombstone }: { key: string; bytes: Buffer; tombstone: Tombstone },
  { trust, inChain }: Signers,
  report: Reporter,
): Promise<boolean> {
  const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
  const { signedBy } = tombstone;
  const hash = sha256(bytes);
  const others = [...folder.tombstoneSignatures]
    .filter(([of]) => signedBy === null || of !== hash.slice(0, 16))
    .map(([, other]) => other);
  if (others.length > 0) {
    const message = 'the signature of a tombstone that another pruning has written first';
    report.note('pruning_unfinished', others, message, snapshot);
  }
  if (signedBy === null) {
    if (trust === null && manifest.signedBy === null) return true;
    report.problem('unsigned', [key], 'this tombstone is not signed', snapshot);
    return false;
  }
  const signatureKey = tombstoneSignatureKey(manifest.workspaceId, link.snapshotId, hash);
  const signature = await store.get(signatureKey);
  if (signature === null) {
    const message = 'the signature of this tombstone is missing, or the tombstone was altered';
    report.problem('missing', [signatureKey, key], message, snapshot);
    return false;
  }
  const verdict =
    trust !== null
      ? judgeSignature(trust, signedBy, bytes, signature.bytes)
      : inChain.has(signedBy)
        ? 'valid'
        : 'foreign';
  if (verdict === 'foreign') {
    const message = `this tombstone is signed with a key that is not trusted, ${signedBy}`;
    report.problem('foreign_key', [key, signatureKey], message, snapshot);
  }
  if (verdict === 'wrong') {
    report.problem('wrong_signature', [signatureKey], 'this signature is not over the tombstone', snapshot);
  }
  return verdict === 'valid';
}
