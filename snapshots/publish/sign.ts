import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { receiptKey, signatureKey } from '../layout.ts';
import { encodePointer } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import type { Link } from '../read.ts';

/** Puts the signature of a manifest where readers look for it; before the pointer moves, or readers would refuse. */
export async function signManifest(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  manifest: Buffer,
  signer: Signer,
): Promise<void> {
  await createExactly(store, signatureKey(workspaceId, snapshotId, sha256(manifest)), signer.sign(manifest));
}

/**
 * Records that the pointer named this snapshot. Written after the pointer has moved, and once more, for a publication
 * that died in between, before another snapshot is linked to it: so only the newest one can be without.
 */
export async function writeReceipt(store: ObjectStore, workspaceId: string, link: Link): Promise<void> {
  await createExactly(store, receiptKey(workspaceId, link.snapshotId), encodePointer(link));
}

/** @throws Failure where the key holds other bytes: what is made once never changes. */
export async function createExactly(store: ObjectStore, key: string, bytes: Buffer): Promise<void> {
  if (await store.create(key, bytes)) return;
  const there = await store.get(key);
  if (there === null || !there.bytes.equals(bytes)) {
    throw new Failure(`${store.url}/${key} does not have the expected bytes; run the verify command`);
  }
}
