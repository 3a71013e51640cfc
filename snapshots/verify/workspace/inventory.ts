import pMap from 'p-map';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { WORKSPACES, pointerKey, readKey, workspacePrefix } from '../../layout.ts';
import { encodePointer } from '../../manifest.ts';
import type { Manifest } from '../../manifest.ts';
import { decodeManifest, decodePointer } from '../../read.ts';
import type { CurrentPointer } from '../../read.ts';

/** The objects in a snapshot's folder. */
export interface Folder {
  snapshotId: string;
  /** Paths of documents, as manifests list them. */
  documents: Set<string>;
  hasReceipt: boolean;
  /** All manifests of the folder; a link names at most one of them, by its hash. */
  manifests: StoredManifest[];
  /** Keys of signatures, by the part of the manifest's hash in their names. */
  signatures: Map<string, string>;
  /** Keys of histories, by the part of the history's hash in their names. */
  histories: Map<string, string>;
  hasTombstone: boolean;
  /** Keys of tombstone signatures, by the part of the tombstone's hash in their names. */
  tombstoneSignatures: Map<string, string>;
}

export interface StoredManifest {
  key: string;
  bytes: Buffer;
  sha256: string;
  /** Null if the bytes are not a manifest. */
  content: Manifest | null;
}

/** The keys of one workspace; `workspaceId` is null for keys that belong to none. */
export interface WorkspaceKeys {
  workspaceId: string | null;
  keys: string[];
}

/** All keys of a store, grouped by workspace, in the order of the list. */
export async function* byWorkspace(store: ObjectStore): AsyncGenerator<WorkspaceKeys> {
  let group: WorkspaceKeys = { workspaceId: null, keys: [] };
  for await (const { key } of store.list('')) {
    const workspaceId = workspaceOf(key);
    if (workspaceId !== group.workspaceId) {
      if (group.keys.length > 0) yield group;
      group = { workspaceId, keys: [] };
    }
    group.keys.push(key);
  }
  if (group.keys.length > 0) yield group;
}

function workspaceOf(key: string): string | null {
  const [top, name, ...rest] = key.split('/');
  if (`${top}/` !== WORKSPACES || name === undefined || rest.length === 0) return null;
  return readKey(pointerKey(name)) === null ? null : name;
}

async function keysOf(store: ObjectStore, workspaceId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(workspacePrefix(workspaceId))) keys.push(key);
  return keys;
}

/** All objects of one workspace, as of one instant. */
export interface Inventory {
  workspaceId: string;
  /** `unreadable`: it exists, but is not a pointer. */
  pointer: CurrentPointer | null | 'unreadable';
  folders: Map<string, Folder>;
  /** Keys that no command writes. */
  unknownKeys: string[];
}

export const READS_AT_ONCE = 16;
const MOST_TRIES = 5;

/**
 * Lists a workspace and reads its manifests. Starts again if a publication moves the pointer meanwhile: otherwise its
 * snapshot would look like one that was removed from the chain.
 * @param listed its keys, if they were listed just before
 * @throws Failure if the pointer moves during every attempt.
 */
export async function takeInventory(
  store: ObjectStore,
  workspaceId: string,
  listed?: readonly string[],
): Promise<Inventory> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await pointerOf(store, workspaceId);
    const inventory: Inventory = { workspaceId, pointer: before, folders: new Map(), unknownKeys: [] };
    const keys = (tries === 0 ? listed : undefined) ?? (await keysOf(store, workspaceId));
    const manifests = keys.filter((key) => addToInventory(inventory, key) === 'manifest');
    const read = async (key: string) => await readStored(store, key);
    for (const manifest of await pMap(manifests, read, { concurrency: READS_AT_ONCE }))
      if (manifest !== null) addManifest(inventory, manifest);
    if (versionOf(await pointerOf(store, workspaceId)) === versionOf(before)) return inventory;
  }
  throw new Failure(
    `workspace ${workspaceId} in ${store.url} is being published too often to verify; try again`,
  );
}

async function pointerOf(store: ObjectStore, workspaceId: string): Promise<Inventory['pointer']> {
  const key = pointerKey(workspaceId);
  const object = await store.get(key);
  if (object === null) return null;
  const pointer = orNull(() => decodePointer(object.bytes, key));
  return pointer !== null && object.bytes.equals(encodePointer(pointer))
    ? { ...pointer, version: object.version }
    : 'unreadable';
}

function versionOf(pointer: Inventory['pointer']): string | null {
  return pointer === null || pointer === 'unreadable' ? pointer : pointer.version;
}

/** Adds a key to its part of the inventory; returns `manifest` if the object must be read. */
function addToInventory(inventory: Inventory, key: string): 'manifest' | 'other' {
  const meaning = readKey(key);
  if (meaning === null) inventory.unknownKeys.push(key);
  if (meaning === null || meaning.part === 'pointer') return 'other';
  const folder = folderOf(inventory, meaning.snapshotId);
  if (meaning.part === 'manifest' || meaning.part === 'alternateManifest') return 'manifest';
  if (meaning.part === 'document') folder.documents.add(meaning.path);
  else if (meaning.part === 'signature') folder.signatures.set(meaning.of, key);
  else if (meaning.part === 'history') folder.histories.set(meaning.of, key);
  else if (meaning.part === 'tombstoneSignature') folder.tombstoneSignatures.set(meaning.of, key);
  else if (meaning.part === 'receipt') folder.hasReceipt = true;
  else folder.hasTombstone = true;
  return 'other';
}

function folderOf({ folders }: Inventory, snapshotId: string): Folder {
  const known = folders.get(snapshotId);
  if (known !== undefined) return known;
  const folder: Folder = {
    snapshotId,
    documents: new Set(),
    hasReceipt: false,
    manifests: [],
    signatures: new Map(),
    histories: new Map(),
    hasTombstone: false,
    tombstoneSignatures: new Map(),
  };
  folders.set(snapshotId, folder);
  return folder;
}

async function readStored(store: ObjectStore, key: string): Promise<StoredManifest | null> {
  const object = await store.get(key);
  if (object === null) return null;
  const { bytes } = object;
  return { key, bytes, sha256: sha256(bytes), content: orNull(() => decodeManifest(bytes, key)) };
}

/** A manifest whose name contains another hash than its own was not written by a command. */
function addManifest(inventory: Inventory, manifest: StoredManifest): void {
  const meaning = readKey(manifest.key)!;
  if (meaning.part === 'alternateManifest' && !manifest.sha256.startsWith(meaning.of))
    inventory.unknownKeys.push(manifest.key);
  else folderOf(inventory, meaning.snapshotId!).manifests.push(manifest);
}

/** Null if `read` throws a Failure, because the bytes are invalid. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
