import { Failure } from '../lib/failure.ts';
import type { SnapshotProof } from '../lib/history/schemas.ts';
import { judgeSignature } from './signing.ts';
import type { Trust } from './signing.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { signatureKey } from './layout.ts';
import { formatNote } from './log/notes/note.ts';
import { proveSnapshot } from './log/prove.ts';
import { readCheckpoint } from './log/read.ts';
import type { PastSnapshot } from './manifest.ts';
import { readManifestBytes } from './read.ts';

/**
 * The evidence that one snapshot was published: its manifest, its signature, and the proof that the log contains it.
 * @param snapshot an entry of a verified history
 * @param trust the trusted keys; null: only the presence of a signature is checked. A signature of a retired key, which
 * is not trusted any more, is accepted: the chain from a newer snapshot covers it.
 * @throws Failure if a part is missing or does not match the history.
 */
export async function readSnapshotProof(
  store: ObjectStore,
  workspaceId: string,
  snapshot: PastSnapshot,
  trust: Trust | null,
): Promise<SnapshotProof> {
  const [manifest, inclusion] = await Promise.all([
    readManifestBytes(store, workspaceId, snapshot),
    proveInclusion(store, workspaceId, snapshot),
  ]);
  const signature = await readSignature(store, workspaceId, snapshot, manifest, trust);
  return {
    manifest: manifest.toString('utf8'),
    signature: signature?.toString('base64') ?? null,
    publicKeyFingerprint: snapshot.signedBy,
    ...inclusion,
  };
}

async function proveInclusion(
  store: ObjectStore,
  workspaceId: string,
  snapshot: PastSnapshot,
): Promise<Pick<SnapshotProof, 'checkpoint' | 'inclusionProof'>> {
  const checkpoint = await readCheckpoint(store);
  const inclusionProof =
    checkpoint === null ? null : await proveSnapshot(store, checkpoint, { workspaceId, ...snapshot });
  return {
    checkpoint: checkpoint === null || inclusionProof === null ? null : formatNote(checkpoint.note),
    inclusionProof,
  };
}

async function readSignature(
  store: ObjectStore,
  workspaceId: string,
  { snapshotId, manifestSha256, signedBy }: PastSnapshot,
  manifest: Buffer,
  trust: Trust | null,
): Promise<Buffer | null> {
  if (signedBy === null) return null;
  const key = signatureKey(workspaceId, snapshotId, manifestSha256);
  const signature = await store.get(key);
  if (signature === null) throw new Failure(`${store.url}/${key} is missing`);
  if (trust !== null && judgeSignature(trust, signedBy, manifest, signature.bytes) === 'wrong')
    throw new Failure(`${store.url}/${key} is not a signature over its manifest`);
  return signature.bytes;
}
