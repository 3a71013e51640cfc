import { Failure, reasonOf } from '../lib/failure.ts';
import { sha256 } from '../lib/hash.ts';
import { judgeSignature } from '../lib/signing.ts';
import type { Trust } from '../lib/signing.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { manifestKeys, pointerKey, signatureKey, snapshotPrefix } from './layout.ts';
import { manifestSchema, pointerSchema, tombstoneSchema } from './manifest.ts';
import type { Manifest, Pointer, Tombstone } from './manifest.ts';

/** The snapshot a workspace is served from, and the pointer's version for {@link ObjectStore.swap}. */
export interface CurrentPointer extends Pointer {
  version: string;
}

/** What names a manifest: the pointer, or the manifest of the snapshot after it. */
export type Link = Pick<Pointer, 'snapshotId' | 'manifestSha256'>;

/** Null where nothing has been published for the workspace. */
export async function readPointer(store: ObjectStore, workspaceId: string): Promise<CurrentPointer | null> {
  const key = pointerKey(workspaceId);
  const object = await store.get(key);
  if (object === null) return null;
  return { ...decodePointer(object.bytes, `${store.url}/${key}`), version: object.version };
}

/** @throws Failure that names it where the bytes are no pointer. */
export function decodePointer(bytes: Buffer, name: string): Pointer {
  return decode(bytes, pointerSchema, name);
}

/**
 * @param trust the keys of which one must have signed the manifest; null: signatures are not looked at.
 * @throws Failure when the manifest is missing, unreadable, not the one that the link names, or not signed as it
 * must be.
 */
export async function readManifest(
  store: ObjectStore,
  workspaceId: string,
  link: Link,
  trust: Trust | null = null,
): Promise<Manifest> {
  const { key, object } = await findManifest(store, workspaceId, link);
  const name = `${store.url}/${key}`;
  const manifest = decodeManifest(object.bytes, name);
  if (trust !== null) await refuseUnlessSigned(store, workspaceId, link, manifest, object.bytes, trust);
  return manifest;
}

/** @throws Failure where the store holds no manifest of the link's hash. */
async function findManifest(store: ObjectStore, workspaceId: string, link: Link) {
  const keys = manifestKeys(workspaceId, link.snapshotId, link.manifestSha256);
  let others = 0;
  for (const key of keys) {
    const object = await store.get(key);
    if (object !== null && sha256(object.bytes) === link.manifestSha256) return { key, object };
    if (object !== null) others += 1;
  }
  const complaint = others === 0 ? 'is missing' : 'is not the manifest that the pointer names';
  throw new Failure(`${store.url}/${keys[0]} ${complaint}`);
}

/** @throws Failure, as {@link readManifest} does. */
export function decodeManifest(bytes: Buffer, name: string): Manifest {
  return decode(bytes, manifestSchema, name);
}

/** @throws Failure that names it where the bytes are no tombstone. */
export function decodeTombstone(bytes: Buffer, name: string): Tombstone {
  return decode(bytes, tombstoneSchema, name);
}

async function refuseUnlessSigned(
  store: ObjectStore,
  workspaceId: string,
  link: Link,
  { signedBy }: Manifest,
  bytes: Buffer,
  trust: Trust,
): Promise<void> {
  const name = `snapshot ${link.snapshotId} of workspace ${workspaceId} in ${store.url}`;
  if (signedBy === null) throw new Failure(`${name} is not signed`);
  const signature = await store.get(signatureKey(workspaceId, link.snapshotId, link.manifestSha256));
  if (signature === null) throw new Failure(`${name} has lost its signature`);
  const verdict = judgeSignature(trust, signedBy, bytes, signature.bytes);
  if (verdict === 'foreign') {
    throw new Failure(`${name} is signed with a key that is not trusted, ${signedBy}`);
  }
  if (verdict === 'wrong') throw new Failure(`${name} has a signature that is not over its manifest`);
}

/** @throws Failure when the document is missing or its bytes are not those of the manifest. */
export async function readDocument(
  store: ObjectStore,
  manifest: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  document: Manifest['documents'][number],
): Promise<Buffer> {
  const key = `${snapshotPrefix(manifest.workspaceId, manifest.snapshotId)}${document.path}`;
  const object = await store.get(key);
  if (object === null) throw new Failure(`${store.url}/${key} is missing`);
  if (sha256(object.bytes) !== document.sha256) {
    throw new Failure(`${store.url}/${key} does not have the bytes that its manifest names`);
  }
  return object.bytes;
}

function decode<T>(bytes: Buffer, schema: { parse(value: unknown): T }, name: string): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Failure(`${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
