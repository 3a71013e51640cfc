import pMap from 'p-map';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { WORKSPACES, pointerKey, readKey, workspacePrefix } from '../../layout.ts';
import { encodePointer } from '../../manifest.ts';
import type { Manifest } from '../../manifest.ts';
import { decodeManifest, decodePointer } from '../../read.ts';
import type { CurrentPointer } from '../../read.ts';

/** What lies in a snapshot's folder. */
export interface Folder {
  snapshotId: string;
  /** Paths as manifests list them. */
  documents: Set<string>;
  hasReceipt: boolean;
  /** All manifests of the folder; a link names one of them by its hash. */
  manifests: StoredManifest[];
  /** Keys, by the part of the manifest's hash in their names. */
  signatures: Map<string, string>;
  /** Keys, by the part of the history's hash in their names. */
  histories: Map<string, string>;
  hasTombstone: boolean;
  /** Keys, by the part of the tombstone's hash in their names. */
  tombstoneSignatures: Map<string, string>;
}

export interface StoredManifest {
  key: string;
  bytes: Buffer;
  sha256: string;
  /** Null: it cannot be read as a manifest. */
  content: Manifest | null;
}

/** The keys of a workspace; null: keys that belong to none. */
export interface WorkspaceKeys {
  workspaceId: string | null;
  keys: string[];
}

/** All keys of a store, a workspace at a time: a list comes in order. */
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

/** Everything that the store holds of one workspace, as of one moment. */
export interface Inventory {
  workspaceId: string;
  /** `unreadable`: there is one, but it says nothing. */
  pointer: CurrentPointer | null | 'unreadable';
  folders: Map<string, Folder>;
  /** Keys that no part of this project writes. */
  unknownKeys: string[];
}

export const READS_AT_ONCE = 16;
const MOST_TRIES = 5;

/**
 * Lists a workspace and reads its manifests. Begins again where a publication moves the pointer meanwhile, or its
 * snapshot would look like one that the pointer had been taken away from.
 * @param listed its keys, where they were listed just before.
 * @throws Failure where the pointer never rests.
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
  throw new Failure(`workspace ${workspaceId} in ${store.url} is being published over and over; try again`);
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

/** Adds a key to the part of the inventory that it belongs to; returns `manifest` where it is to be read. */
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

/** A name with a hash that is not the manifest's own was given by someone else. */
function addManifest(inventory: Inventory, manifest: StoredManifest): void {
  const meaning = readKey(manifest.key)!;
  if (meaning.part === 'alternateManifest' && !manifest.sha256.startsWith(meaning.of))
    inventory.unknownKeys.push(manifest.key);
  else folderOf(inventory, meaning.snapshotId!).manifests.push(manifest);
}

/** Null where a Failure says that bytes are not what they should be. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
