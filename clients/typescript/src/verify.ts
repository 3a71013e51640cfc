import type { SnapshotProof } from './api.ts';
import { decodeBase64, encodeText, isSigned, publicKeysIn, sha256Hex } from './bytes.ts';
import type { PublicKey } from './bytes.ts';
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
  /**
   * If given, a log of this name must contain the snapshot. Otherwise a proof without a log is accepted, and any log if
   * one of the keys signed its head.
   */
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

/**
 * Verifies offline that one of the keys signed the manifest of the snapshot and, if the proof includes the log, that
 * the log contains the manifest.
 * @throws VerificationError that names what failed.
 */
export async function verifySnapshot(evidence: SnapshotEvidence): Promise<VerifiedSnapshot> {
  const { proof, snapshotId, workspaceId, logOrigin } = evidence;
  const keys = await keysIn(evidence.publicKey);
  const { documents, ...manifest } = await signedManifest(proof, keys);
  if (manifest.snapshotId !== snapshotId)
    throw new VerificationError('snapshot', `the proof is of the snapshot ${manifest.snapshotId}`);
  if (workspaceId !== undefined && manifest.workspaceId !== workspaceId)
    throw new VerificationError('snapshot', `the snapshot is of the workspace ${manifest.workspaceId}`);
  if (proof.inclusionProof === null && logOrigin !== undefined)
    throw new VerificationError('log', `the proof has no log, and ${logOrigin} is required`);
  const { sequence, asOf, publishedAt, methodologyVersion, signedBy } = manifest;
  const published = { workspaceId: manifest.workspaceId, sequence, snapshotId, publishedAt };
  const entry = { ...published, manifestSha256: await sha256Hex(encodeText(proof.manifest)) };
  return {
    ...published,
    asOf,
    methodologyVersion,
    signedBy,
    documents: new Map(documents.map(({ path, sha256: hash }) => [path.replace(/\.json$/, ''), hash])),
    log:
      proof.inclusionProof === null
        ? null
        : await verifyInclusion(proof.inclusionProof, entry, keys, logOrigin),
  };
}

const refuse = (reason: string) => new VerificationError('signature', reason);

/** The manifest of a proof, signed by one of the keys. @throws VerificationError `signature` */
async function signedManifest(proof: SnapshotProof, keys: readonly PublicKey[]): Promise<Manifest> {
  const { manifest: text, signature, publicKeyFingerprint, inclusionProof } = proof;
  if (signature === null || publicKeyFingerprint === null) throw refuse('the snapshot is not signed');
  const isText = [text, signature, publicKeyFingerprint, inclusionProof ?? ''].every(
    (part) => typeof part === 'string',
  );
  if (!isText) throw refuse('the proof is malformed');
  const fingerprints = await Promise.all(keys.map(async ({ der }) => await sha256Hex(der)));
  const signer = keys[fingerprints.indexOf(publicKeyFingerprint)];
  if (signer === undefined) throw refuse('the snapshot is not signed with the public key');
  const bytes = decodeBase64(signature);
  if (bytes?.length !== 64) throw refuse('the signature is not 64 bytes in base64');
  if (!(await isSigned(encodeText(text), bytes, signer)))
    throw refuse('the signature is not over this manifest');
  const manifest = parseManifest(text);
  if (manifest === null) throw refuse('the signed text is not a manifest');
  if (manifest.signedBy !== publicKeyFingerprint) throw refuse('the manifest names another key');
  return manifest;
}

/** Null if the text is not a manifest. */
function parseManifest(text: string): Manifest | null {
  try {
    const manifest = JSON.parse(text) as Manifest;
    const { workspaceId, snapshotId, asOf, publishedAt, methodologyVersion, signedBy } = manifest;
    const texts = [workspaceId, snapshotId, asOf, publishedAt, methodologyVersion, signedBy].concat(
      manifest.documents.flatMap(({ path, sha256: hash }) => [path, hash]),
    );
    return texts.every((part) => typeof part === 'string') && Number.isInteger(manifest.sequence)
      ? manifest
      : null;
  } catch {
    return null;
  }
}

/**
 * Verifies the snapshot, and that the document was published in it, byte for byte.
 * @throws VerificationError that names what failed.
 */
export async function verifyDocument(evidence: DocumentEvidence): Promise<VerifiedSnapshot> {
  const verified = await verifySnapshot(evidence);
  const { path, body } = evidence;
  const expected = verified.documents.get(path);
  if (expected === undefined) throw new VerificationError('document', `the snapshot has no document ${path}`);
  if (expected !== (await sha256Hex(typeof body === 'string' ? encodeText(body) : body)))
    throw new VerificationError('document', `the document ${path} was published with other bytes`);
  return verified;
}

async function keysIn(pem: string): Promise<PublicKey[]> {
  const keys = await publicKeysIn(pem);
  if (keys.length === 0) throw new VerificationError('public_key', 'publicKey has no public key in PEM');
  return keys.map((key) => {
    if (key !== null) return key;
    throw new VerificationError('public_key', 'publicKey has a block that is not an Ed25519 public key');
  });
}
