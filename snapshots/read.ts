import { decodeKnown } from '../lib/decode.ts';
import { Failure } from '../lib/failure.ts';
import { sha256 } from '../lib/hash.ts';
import { manyAtOnce } from '../lib/store/many-at-once.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { inputsKey, manifestKey, snapshotPrefix } from './layout.ts';
import { decodeManifest, inputsSchema } from './manifest.ts';
import type { Inputs, Link, Manifest } from './manifest.ts';

/** The exact bytes of a manifest. @throws Failure if the store has no manifest with this hash. */
export async function readManifestBytes(
  store: ObjectStore,
  workspaceId: string,
  { snapshotId, manifestSha256 }: Link,
): Promise<Buffer> {
  return await readNamed(
    store,
    manifestKey(workspaceId, snapshotId, manifestSha256),
    manifestSha256,
    'the log',
  );
}

/** @throws Failure if the manifest is missing, unreadable, not the one that the link names, or misplaced. */
export async function readManifest(store: ObjectStore, workspaceId: string, link: Link): Promise<Manifest> {
  const name = `${store.url}/${manifestKey(workspaceId, link.snapshotId, link.manifestSha256)}`;
  const { value: manifest } = decodeManifest(await readManifestBytes(store, workspaceId, link), name);
  const complaint = misplacedAs(manifest, workspaceId, link.snapshotId);
  if (complaint !== null) throw new Failure(`${name}: ${complaint}`);
  return manifest;
}

/** Why a manifest does not belong to this workspace and snapshot; null if it does. */
export function misplacedAs(manifest: Manifest, workspaceId: string, snapshotId: string): string | null {
  if (manifest.workspaceId !== workspaceId) return `this is a manifest of workspace ${manifest.workspaceId}`;
  return manifest.snapshotId === snapshotId
    ? null
    : `this is the manifest of snapshot ${manifest.snapshotId}`;
}

/** The lake objects that a snapshot was computed from. @throws Failure if the list is missing or has other bytes. */
export async function readInputs(store: ObjectStore, { inputs }: Manifest): Promise<Inputs> {
  const key = inputsKey(inputs);
  const bytes = await readNamed(store, key, inputs, 'the manifest');
  return decodeKnown(bytes, inputsSchema, `${store.url}/${key}`).value.inputs;
}

/** The bytes of a document. @throws Failure if it is missing or does not match the hash in the manifest. */
export async function readDocument(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  document: { path: string; sha256: string; bytes?: number },
): Promise<Buffer> {
  const key = `${snapshotPrefix(workspaceId, snapshotId)}${document.path}`;
  return await readNamed(store, key, document.sha256, 'its manifest', document.bytes);
}

export async function keysBelow(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await Array.fromAsync(store.list(prefix))).map(({ key }) => key);
}

/** Deletes the objects below a prefix that are due. */
export async function deleteBelow(
  store: ObjectStore,
  prefix: string,
  isDue: (key: string) => boolean,
): Promise<void> {
  const due = (await keysBelow(store, prefix)).filter(isDue);
  await manyAtOnce(due, async (key) => await store.delete(key));
}

/** True if a key begins with the prefix. */
export async function hasAnything(store: ObjectStore, prefix: string): Promise<boolean> {
  return (await store.list(prefix)[Symbol.asyncIterator]().next()).done !== true;
}

/** No object of a store is larger but a document, and then its manifest says so. */
export const MOST_BYTES = 64 << 20;

/**
 * An object whose hash is known.
 * @param namedBy what names the hash, for the message
 * @param mostBytes before the hash is known, only the size shows that an object was altered
 * @throws Failure if it is missing or has other bytes.
 */
export async function readNamed(
  store: ObjectStore,
  key: string,
  hash: string,
  namedBy: string,
  mostBytes = MOST_BYTES,
): Promise<Buffer> {
  const object = await store.get(key, mostBytes);
  if (object === null) throw new Failure(`${store.url}/${key} is missing`);
  if (sha256(object.bytes) !== hash)
    throw new Failure(`${store.url}/${key} does not have the bytes that ${namedBy} names`);
  return object.bytes;
}
