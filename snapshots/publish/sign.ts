import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { receiptKey, signatureKey } from '../layout.ts';
import { encodePointer } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import type { Link } from '../read.ts';

/** Signs a manifest. Must be done before the pointer moves, or readers would refuse the snapshot. */
export async function signManifest(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  manifest: Buffer,
  signer: Signer,
): Promise<void> {
  await createExactly(store, signatureKey(workspaceId, snapshotId, sha256(manifest)), signer.sign(manifest));
}

/**
 * Writes the receipt: the pointer named this snapshot. It is written after the pointer moved. If a publication is
 * killed in between, the next one writes it before it links to the snapshot. So only the newest snapshot can lack a
 * receipt.
 */
export async function writeReceipt(store: ObjectStore, workspaceId: string, link: Link): Promise<void> {
  await createExactly(store, receiptKey(workspaceId, link.snapshotId), encodePointer(link));
}

/** Creates an immutable object, or checks an existing one. @throws Failure if the key has other bytes. */
export async function createExactly(store: ObjectStore, key: string, bytes: Buffer): Promise<void> {
  if (await store.create(key, bytes)) return;
  const there = await store.get(key);
  if (there === null || !there.bytes.equals(bytes)) {
    throw new Failure(`${store.url}/${key} does not have the expected bytes; run the verify command`);
  }
}
