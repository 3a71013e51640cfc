import { Failure, reasonOf } from '../lib/failure.ts';
import { sha256 } from '../lib/hash.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { manifestKey, pointerKey, snapshotPrefix } from './layout.ts';
import { manifestSchema, pointerSchema } from './manifest.ts';
import type { Manifest, Pointer } from './manifest.ts';

/** The snapshot a workspace is served from, and the pointer's version for {@link ObjectStore.swap}. */
export interface CurrentPointer extends Pointer {
  version: string;
}

/** Null where nothing has been published for the workspace. */
export async function readPointer(store: ObjectStore, workspaceId: string): Promise<CurrentPointer | null> {
  const key = pointerKey(workspaceId);
  const object = await store.get(key);
  if (object === null) return null;
  return { ...decode(object.bytes, pointerSchema, `${store.url}/${key}`), version: object.version };
}

/** @throws Failure when the manifest is missing, unreadable, or not the one that the link names. */
export async function readManifest(
  store: ObjectStore,
  workspaceId: string,
  link: Pointer,
): Promise<Manifest> {
  const key = manifestKey(workspaceId, link.snapshotId);
  const object = await store.get(key);
  if (object === null) throw new Failure(`${store.url}/${key} is missing`);
  if (sha256(object.bytes) !== link.manifestSha256) {
    throw new Failure(`${store.url}/${key} is not the manifest that the pointer names`);
  }
  return decode(object.bytes, manifestSchema, `${store.url}/${key}`);
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
    throw new Failure(`${name} cannot be read: ${reasonOf(error).split('\n')[0]}`, { cause: error });
  }
}
