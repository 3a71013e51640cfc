import { encodeText, publicKeysIn, sha256Hex } from './bytes.ts';
import type { PublicKey } from './bytes.ts';
import { verifyInclusion } from './verify-log.ts';
import { VerificationError, demand } from './verification.ts';
import type { LogPosition, SnapshotProof } from './verification.ts';

export { VerificationError };
export type { LogPosition, SnapshotProof };
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
  /** If given, the log must have this name. Otherwise any log is accepted whose head one of the keys signed. */
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
  /** 1 for the first publication of the workspace, by the log. */
  sequence: number;
  asOf: string;
  /** By the log. */
  publishedAt: string;
  methodologyVersion: string;
  /** The SHA-256 of each document, in hexadecimal, by path. */
  documents: ReadonlyMap<string, string>;
  /** Fingerprint of the given key that signed the head of the log. */
  signedBy: string;
  /** The place of the snapshot in the transparency log. */
  log: LogPosition;
}

/**
 * Verifies offline that one of the keys signed the head of the log, that the log contains the entry that published the
 * snapshot, and that this entry names the manifest.
 * @throws VerificationError that names what failed.
 */
export async function verifySnapshot(evidence: SnapshotEvidence): Promise<VerifiedSnapshot> {
  const { proof, snapshotId, workspaceId, logOrigin } = evidence;
  const parts = [proof.manifest, proof.entry, proof.inclusionProof, proof.checkpoint];
  demand(
    parts.every((part) => typeof part === 'string'),
    'log',
    'the proof is malformed',
  );
  const { log, signer } = await verifyInclusion(proof, await keysIn(evidence.publicKey), logOrigin);
  const entry = entryIn(proof.entry);
  const isNamed = entry?.manifestSha256 === (await sha256Hex(encodeText(proof.manifest)));
  demand(entry !== null && isNamed, 'log', 'the entry of the log is of another manifest');
  const manifest = manifestIn(proof.manifest);
  demand(manifest !== null, 'log', 'the entry of the log names something that is not a manifest');
  const { asOf, methodologyVersion, documents } = manifest;
  for (const { snapshotId: id, workspaceId: owner } of [entry, manifest]) {
    demand(id === snapshotId, 'snapshot', `the proof is of the snapshot ${id}`);
    const isOwn = owner === (workspaceId ?? manifest.workspaceId);
    demand(isOwn, 'snapshot', `the snapshot is of the workspace ${owner}`);
  }
  const expectedId = await idOf(manifest);
  demand(snapshotId === expectedId, 'snapshot', `the documents in the manifest are those of ${expectedId}`);
  return {
    snapshotId,
    workspaceId: manifest.workspaceId,
    sequence: entry.sequence,
    asOf,
    publishedAt: entry.at,
    methodologyVersion,
    documents: new Map(documents.map(({ path, sha256: hash }) => [path.replace(/\.json$/, ''), hash])),
    signedBy: await sha256Hex(signer.der),
    log,
  };
}

/** The entry of the log that published a snapshot. */
type Entry = Pick<VerifiedSnapshot, 'snapshotId' | 'workspaceId' | 'sequence'> & {
  kind: string;
  at: string;
  manifestSha256: string;
};

interface Manifest extends Pick<
  VerifiedSnapshot,
  'snapshotId' | 'workspaceId' | 'asOf' | 'methodologyVersion'
> {
  documents: { path: string; sha256: string }[];
}

/** Null if the text is not an entry that published a snapshot. */
function entryIn(text: string): Entry | null {
  try {
    const entry = JSON.parse(text) as Entry;
    const { kind, at, sequence } = entry;
    return kind === 'published' && typeof at === 'string' && Number.isInteger(sequence) ? entry : null;
  } catch {
    return null;
  }
}

/** Null if the text is not a manifest. */
function manifestIn(text: string): Manifest | null {
  try {
    const { workspaceId, snapshotId, asOf, methodologyVersion, documents } = JSON.parse(text) as Manifest;
    const listed = documents.flatMap(({ path, sha256: hash }) => [path, hash]);
    const texts = [workspaceId, snapshotId, asOf, methodologyVersion, ...listed];
    const isManifest = texts.every((part) => typeof part === 'string');
    return isManifest ? { workspaceId, snapshotId, asOf, methodologyVersion, documents } : null;
  } catch {
    return null;
  }
}

/** An id says what clients can see: the as-of time, and a hash over version and documents. */
async function idOf({ asOf, methodologyVersion, documents }: Manifest): Promise<string> {
  const hashes = documents.map(({ path, sha256: hash }) => [path, hash]);
  const content = await sha256Hex(encodeText(JSON.stringify([asOf, methodologyVersion, hashes])));
  return `${asOf.replaceAll(/[-:]/g, '')}-${content.slice(0, 16)}`;
}

/**
 * Verifies the snapshot, and that the document was published in it, byte for byte.
 * @throws VerificationError that names what failed.
 */
export async function verifyDocument(evidence: DocumentEvidence): Promise<VerifiedSnapshot> {
  const verified = await verifySnapshot(evidence);
  await compareDocument(verified, evidence.path, evidence.body);
  return verified;
}

/**
 * Compares a document with a snapshot that was verified.
 * @throws VerificationError `document` if it was not published in it with these bytes.
 */
export async function compareDocument(
  { documents }: Pick<VerifiedSnapshot, 'documents'>,
  path: string,
  body: string | Uint8Array,
): Promise<void> {
  const expected = documents.get(path);
  demand(expected !== undefined, 'document', `the snapshot has no document ${path}`);
  const found = await sha256Hex(typeof body === 'string' ? encodeText(body) : body);
  demand(found === expected, 'document', `the document ${path} was published with other bytes`);
}

/** A snapshot is published every week. */
const STALE_AFTER_MS = 9 * 24 * 60 * 60_000;

/**
 * True if a current snapshot was published more than nine days ago: nothing was published since, or the service hides it.
 */
export function isStale({ publishedAt }: Pick<VerifiedSnapshot, 'publishedAt'>, nowMs = Date.now()): boolean {
  return nowMs - Date.parse(publishedAt) > STALE_AFTER_MS;
}

async function keysIn(pem: string): Promise<PublicKey[]> {
  const keys = await publicKeysIn(pem);
  if (keys.length === 0) throw new VerificationError('public_key', 'publicKey has no public key in PEM');
  return keys.map((key) => {
    if (key !== null) return key;
    throw new VerificationError('public_key', 'publicKey has a block that is not an Ed25519 public key');
  });
}
