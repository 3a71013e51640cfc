import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { SnapshotProof } from './api.ts';
import { verifyInclusion } from './verify-log.ts';
import { VerificationError } from './verification.ts';
import type { LogPosition } from './verification.ts';

export { VerificationError };
export type { LogPosition };
export type { VerificationFault } from './verification.ts';

export interface SnapshotEvidence {
  /** The `data` of `getSnapshotProof`. */
  proof: SnapshotProof;
  /** One or more Ed25519 public keys in PEM. Get them from the operator, not from the API. */
  publicKey: string;
  /** The id of the requested snapshot. */
  snapshotId: string;
  /** If given, the snapshot must be of this workspace. */
  workspaceId?: string | undefined;
  /** If given, the log must have this name. Otherwise any log is accepted if one of the keys signed its head. */
  logOrigin?: string | undefined;
}

export interface DocumentEvidence extends SnapshotEvidence {
  /**
   * `brands`, or `brands/BRAND_ID/` and `visibility`, `stability`, `competitors`, `sources`, `results` or `prompts`.
   */
  path: string;
  /** The exact response: `body` of a response of the client, or the bytes. */
  body: string | Uint8Array;
}

/** What was verified. */
export interface VerifiedSnapshot {
  snapshotId: string;
  workspaceId: string;
  sequence: number;
  asOf: string;
  publishedAt: string;
  methodologyVersion: string;
  /** The SHA-256 of each document, in hexadecimal, by path. */
  documents: ReadonlyMap<string, string>;
  /** Fingerprint of the key that signed. */
  signedBy: string;
  /** The position of the snapshot in the transparency log; null if the proof was made before the log contained it. */
  log: LogPosition | null;
}

interface Manifest extends Omit<VerifiedSnapshot, 'documents' | 'log'> {
  documents: { path: string; sha256: string }[];
}

interface Key {
  key: KeyObject;
  der: Buffer;
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Verifies offline that one of the keys signed the manifest of the snapshot and, if the proof includes the log, that
 * the log contains the manifest.
 * @throws VerificationError that names what failed.
 */
export function verifySnapshot(evidence: SnapshotEvidence): VerifiedSnapshot {
  const { proof, snapshotId, workspaceId, logOrigin } = evidence;
  const keys = keysIn(evidence.publicKey);
  const signer = keys.find(({ der }) => sha256(der) === proof.publicKeyFingerprint);
  if (proof.signature === null || proof.publicKeyFingerprint === null)
    throw new VerificationError('signature', 'the snapshot is not signed');
  if (signer === undefined)
    throw new VerificationError('signature', 'the snapshot is not signed with the public key');
  const text = Buffer.from(proof.manifest);
  if (!verifySignature(null, text, signer.key, Buffer.from(proof.signature, 'base64')))
    throw new VerificationError('signature', 'the signature is not over this manifest');
  const { documents, ...manifest } = JSON.parse(proof.manifest) as Manifest;
  if (manifest.signedBy !== proof.publicKeyFingerprint)
    throw new VerificationError('signature', 'the manifest names another key');
  if (manifest.snapshotId !== snapshotId)
    throw new VerificationError('snapshot', `the proof is of the snapshot ${manifest.snapshotId}`);
  if (workspaceId !== undefined && manifest.workspaceId !== workspaceId)
    throw new VerificationError('snapshot', `the snapshot is of the workspace ${manifest.workspaceId}`);
  const { sequence, asOf, publishedAt, methodologyVersion, signedBy } = manifest;
  const published = { workspaceId: manifest.workspaceId, sequence, snapshotId, publishedAt };
  return {
    ...published,
    asOf,
    methodologyVersion,
    signedBy,
    documents: new Map(documents.map(({ path, sha256: hash }) => [path.replace(/\.json$/, ''), hash])),
    log:
      proof.inclusionProof === null
        ? null
        : verifyInclusion(
            proof.inclusionProof,
            { ...published, manifestSha256: sha256(text) },
            keys,
            logOrigin,
          ),
  };
}

/**
 * Verifies the snapshot, and that the document was published in it, byte for byte.
 * @throws VerificationError that names what failed.
 */
export function verifyDocument(evidence: DocumentEvidence): VerifiedSnapshot {
  const verified = verifySnapshot(evidence);
  const { path, body } = evidence;
  const expected = verified.documents.get(path);
  if (expected === undefined) throw new VerificationError('document', `the snapshot has no document ${path}`);
  if (expected !== sha256(body))
    throw new VerificationError('document', `the document ${path} was published with other bytes`);
  return verified;
}

function keysIn(pem: string): Key[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g) ?? [];
  const keys = blocks.map((block) => {
    try {
      const key = createPublicKey(block);
      if (key.asymmetricKeyType === 'ed25519')
        return { key, der: key.export({ type: 'spki', format: 'der' }) };
    } catch {
      // Reported below.
    }
    throw new VerificationError('public_key', 'publicKey has a block that is not an Ed25519 public key');
  });
  if (keys.length === 0) throw new VerificationError('public_key', 'publicKey has no public key in PEM');
  return keys;
}
