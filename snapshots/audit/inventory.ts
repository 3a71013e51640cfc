import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, pointerKey, readKey, workspacePrefix } from '../layout.ts';
import type { SnapshotPart } from '../layout.ts';
import { encodePointer } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { decodeManifest, decodePointer } from '../read.ts';
import type { CurrentPointer } from '../read.ts';

/** What lies in a snapshot's folder. */
export interface Folder {
  snapshotId: string;
  /** Paths as manifests spell them. */
  documents: Set<string>;
  parts: Set<SnapshotPart>;
  /** By the part of the manifest's hash in its name. */
  signatures: Map<string, string>;
  /** Likewise, of the tombstone. */
  tombstoneSignatures: Map<string, string>;
  /** Where there are several, the one that is linked to. */
  manifest: StoredManifest | null;
  /** Keys of the others, left by publications that died or that lost the race for the pointer. */
  spareManifests: string[];
}

export interface StoredManifest {
  bytes: Buffer;
  sha256: string;
  /** Null: it cannot be read as one. */
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
  strangers: string[];
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
    const inventory: Inventory = { workspaceId, pointer: before, folders: new Map(), strangers: [] };
    const keys = (tries === 0 ? listed : undefined) ?? (await keysOf(store, workspaceId));
    const manifests = keys.filter((key) => file(inventory, key).startsWith('manifest'));
    const read = async (key: string) => await readStored(store, key);
    keepManifests(inventory, await pMap(manifests, read, { concurrency: READS_AT_ONCE }));
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

/** Puts a key where it belongs and says what it is. */
function file(inventory: Inventory, key: string): string {
  const meaning = readKey(key);
  if (meaning === null) {
    inventory.strangers.push(key);
    return 'stranger';
  }
  if (meaning.part === 'pointer') return meaning.part;
  const folder = folderOf(inventory, meaning.snapshotId);
  if (meaning.part === 'document') folder.documents.add(meaning.path);
  else if (meaning.part === 'signature') folder.signatures.set(meaning.of, key);
  else if (meaning.part === 'tombstoneSignature') folder.tombstoneSignatures.set(meaning.of, key);
  else if (meaning.part !== 'manifestBeside') folder.parts.add(meaning.part);
  return meaning.part;
}

function folderOf({ folders }: Inventory, snapshotId: string): Folder {
  const known = folders.get(snapshotId);
  if (known !== undefined) return known;
  const folder: Folder = {
    snapshotId,
    documents: new Set(),
    parts: new Set(),
    signatures: new Map(),
    tombstoneSignatures: new Map(),
    manifest: null,
    spareManifests: [],
  };
  folders.set(snapshotId, folder);
  return folder;
}

interface Candidate extends StoredManifest {
  key: string;
}

async function readStored(store: ObjectStore, key: string): Promise<Candidate | null> {
  const object = await store.get(key);
  if (object === null) return null;
  const { bytes } = object;
  return { key, bytes, sha256: sha256(bytes), content: orNull(() => decodeManifest(bytes, key)) };
}

function keepManifests(inventory: Inventory, read: readonly (Candidate | null)[]): void {
  const candidates = read.filter((candidate) => candidate !== null);
  const linked = new Set(candidates.map(({ content }) => content?.previous?.manifestSha256));
  if (inventory.pointer !== null && inventory.pointer !== 'unreadable')
    linked.add(inventory.pointer.manifestSha256);
  for (const { key, ...manifest } of candidates.toSorted(byWhetherIn(linked))) {
    const meaning = readKey(key)!;
    const folder = folderOf(inventory, meaning.snapshotId!);
    if (meaning.part === 'manifestBeside' && !manifest.sha256.startsWith(meaning.of))
      inventory.strangers.push(key);
    else if (folder.manifest === null) folder.manifest = manifest;
    else folder.spareManifests.push(key);
  }
}

function byWhetherIn(linked: ReadonlySet<string | undefined>) {
  const rank = ({ sha256: digest }: Candidate) => (linked.has(digest) ? 0 : 1);
  return (a: Candidate, b: Candidate) => rank(a) - rank(b);
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
