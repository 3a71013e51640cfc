import { decodeCanonical } from '../lib/decode.ts';
import { Failure } from '../lib/failure.ts';
import { sha256 } from '../lib/hash.ts';
import { judgeSignature } from './signing.ts';
import type { Trust } from './signing.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import {
  historyKey,
  inputsKey,
  manifestKeys,
  pointerKey,
  readKey,
  signatureKey,
  snapshotPrefix,
  tombstonesPrefix,
} from './layout.ts';
import {
  historySchema,
  inputsSchema,
  manifestSchema,
  pointerSchema,
  summaryOf,
  tombstoneSchema,
} from './manifest.ts';
import type { Inputs, Link, Manifest, PastSnapshot, Pointer, Tombstone } from './manifest.ts';

export type { Link } from './manifest.ts';

/** The pointer of a workspace, and its version for {@link ObjectStore.swap}. */
export interface CurrentPointer extends Pointer {
  version: string;
}

/** The pointer; null if nothing has been published for the workspace. */
export async function readPointer(store: ObjectStore, workspaceId: string): Promise<CurrentPointer | null> {
  const key = pointerKey(workspaceId);
  const object = await store.get(key);
  if (object === null) return null;
  return { ...decodePointer(object.bytes, `${store.url}/${key}`), version: object.version };
}

/** @param name of the object, for the message. @throws Failure if the bytes are not a pointer. */
export function decodePointer(bytes: Buffer, name: string): Pointer {
  return decodeCanonical(bytes, pointerSchema, name);
}

/**
 * Reads a manifest and verifies that it has the hash of the link, belongs to the workspace and the snapshot, and is in
 * canonical form.
 * @param trust the manifest must be signed with one of these keys; null: signatures are not checked
 * @throws Failure if the manifest is missing, unreadable, not the one that the link names, of another workspace or
 * snapshot, or has no valid signature.
 */
export async function readManifest(
  store: ObjectStore,
  workspaceId: string,
  link: Link,
  trust: Trust | null = null,
): Promise<Manifest> {
  const { key, object } = await findManifest(store, workspaceId, link);
  const manifest = decodeManifest(object.bytes, `${store.url}/${key}`);
  const complaint = misplacedAs(manifest, workspaceId, link.snapshotId);
  if (complaint !== null) throw new Failure(`${store.url}/${key}: ${complaint}`);
  if (trust !== null) await refuseUnlessSigned(store, workspaceId, link, manifest, object.bytes, trust);
  return manifest;
}

/** The exact bytes of a manifest. @throws Failure if the store has no manifest with the link's hash. */
export async function readManifestBytes(
  store: ObjectStore,
  workspaceId: string,
  link: Link,
): Promise<Buffer> {
  return (await findManifest(store, workspaceId, link)).object.bytes;
}

/** Why a manifest does not belong to this workspace and snapshot; null if it does. */
export function misplacedAs(manifest: Manifest, workspaceId: string, snapshotId: string): string | null {
  if (manifest.workspaceId !== workspaceId) return `this is a manifest of workspace ${manifest.workspaceId}`;
  return manifest.snapshotId === snapshotId
    ? null
    : `this is the manifest of snapshot ${manifest.snapshotId}`;
}

/** @throws Failure if the store has no manifest with the link's hash. */
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

/** @param name of the object, for the message. @throws Failure if the bytes are not a manifest in canonical form. */
export function decodeManifest(bytes: Buffer, name: string): Manifest {
  return decodeCanonical(bytes, manifestSchema, name);
}

/** @param name of the object, for the message. @throws Failure if the bytes are not a tombstone. */
export function decodeTombstone(bytes: Buffer, name: string): Tombstone {
  return decodeCanonical(bytes, tombstoneSchema, name);
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

/**
 * All snapshots of a workspace up to and including one, oldest first.
 * @throws Failure if the history that the manifest names is missing or has other bytes.
 */
export async function readHistory(
  store: ObjectStore,
  manifest: Manifest,
  manifestSha256: string,
): Promise<PastSnapshot[]> {
  return [...(await readEarlier(store, manifest)), summaryOf(manifest, manifestSha256)];
}

/**
 * All snapshots of a workspace before one, oldest first.
 * @throws Failure if the history that its manifest names is missing or has other bytes.
 */
export async function readEarlier(
  store: ObjectStore,
  { workspaceId, snapshotId, history }: Pick<Manifest, 'workspaceId' | 'snapshotId' | 'history'>,
): Promise<PastSnapshot[]> {
  if (history === null) return [];
  const bytes = await readNamed(store, historyKey(workspaceId, snapshotId, history), history);
  return decodeCanonical(bytes, historySchema, `the history of snapshot ${snapshotId}`).snapshots;
}

/** The ids of a workspace's pruned snapshots, whose documents were removed on purpose. One list request. */
export async function readPrunedIds(store: ObjectStore, workspaceId: string): Promise<Set<string>> {
  const pruned = new Set<string>();
  for await (const { key } of store.list(tombstonesPrefix(workspaceId))) {
    const meaning = readKey(key);
    if (meaning?.part === 'tombstone') pruned.add(meaning.snapshotId);
  }
  return pruned;
}

/** The lake objects that a snapshot was computed from. @throws Failure if the list is missing or has other bytes. */
export async function readInputs(store: ObjectStore, { inputs }: Manifest): Promise<Inputs> {
  const key = inputsKey(inputs);
  return decodeCanonical(await readNamed(store, key, inputs), inputsSchema, `${store.url}/${key}`).inputs;
}

/** The bytes of a document. @throws Failure if it is missing or does not match the hash in the manifest. */
export async function readDocument(
  store: ObjectStore,
  manifest: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  document: Pick<Manifest['documents'][number], 'path' | 'sha256'>,
): Promise<Buffer> {
  const key = `${snapshotPrefix(manifest.workspaceId, manifest.snapshotId)}${document.path}`;
  return await readNamed(store, key, document.sha256);
}

async function readNamed(store: ObjectStore, key: string, hash: string): Promise<Buffer> {
  const object = await store.get(key);
  if (object === null) throw new Failure(`${store.url}/${key} is missing`);
  if (sha256(object.bytes) !== hash)
    throw new Failure(`${store.url}/${key} does not have the bytes that its manifest names`);
  return object.bytes;
}
