import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, headsKey, historyKey } from '../layout.ts';
import { readNamed } from '../read.ts';
import type { Trust } from '../signing.ts';
import { decodeHeads, decodeHistory, moveHead } from './history.ts';
import type { Heads, History } from './history.ts';
import type { Checkpoint, TreeHead } from './notes/checkpoint.ts';
import { isSignedByLog, readCheckpoint, readEntries, tileReader } from './read.ts';
import type { ReadEntry, StoredCheckpoint } from './read.ts';
import { readRoots } from './tree/merkle.ts';
import { addLeaves, edgeAt, rootOfEdge } from './tree/edge.ts';
import type { Edge } from './tree/edge.ts';
import { hashReader } from './tree/tiles.ts';
import type { ReadTile } from './tree/tiles.ts';

/** The log of a store at a checkpoint that was verified. */
export interface LogView {
  checkpoint: Checkpoint;
  /** The same object as long as the log is the same. */
  edge: Edge;
  heads: Heads;
}

export interface LogIdentity {
  /** The log's name, LOG_ORIGIN; null accepts any that a trusted key signed. */
  origin: string | null;
  /** The checkpoint must be signed with one of these keys. */
  trust: Trust;
}

/**
 * Reads the checkpoint, the newest heads, and the entries after them. Adding these entries to the edge before them gives
 * the signed root, which proves them.
 * @param before what was found at the last time; its part of the log is not read again
 * @returns null if the store has no checkpoint
 * @throws Failure if the log is unsigned, of another name, damaged, or does not continue `before`.
 */
export async function readLog(
  store: ObjectStore,
  identity: LogIdentity,
  before: LogView | null = null,
): Promise<LogView | null> {
  const checkpoint = await readCheckpoint(store);
  if (checkpoint === null) {
    if (before === null) return null;
    throw new Failure(`${store.url}/${CHECKPOINT_KEY} is missing`);
  }
  refuseUnlessOwn(store, checkpoint, identity);
  if (before !== null && checkpoint.note.text === before.checkpoint.note.text)
    return { ...before, checkpoint };
  if (before === null) return await openLog(store, checkpoint);
  refuseShorter(before.checkpoint, checkpoint, `${store.url}/${CHECKPOINT_KEY}`);
  return await extend(store, before, checkpoint);
}

/** @throws Failure if a checkpoint is of another log, or none of the trusted keys signed it. */
export function refuseUnlessOwn(
  store: ObjectStore,
  checkpoint: Checkpoint,
  { origin, trust }: LogIdentity,
): void {
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  if (origin !== null && checkpoint.origin !== origin)
    throw new Failure(`${name} is of the log ${checkpoint.origin}, and LOG_ORIGIN is ${origin}`);
  if (!isSignedByLog(checkpoint.note, checkpoint.origin, trust.values()))
    throw new Failure(`${name} is not signed with a trusted key`);
}

/** The last entry of every commit names the heads after it. */
async function openLog(store: ObjectStore, checkpoint: StoredCheckpoint): Promise<LogView> {
  const { size } = checkpoint;
  const last = size - 1;
  const edge = await edgeAt(last, size, tileReader(store));
  const view = await extend(store, { edge, heads: new Map() }, checkpoint);
  const [{ entry }] = (await Array.fromAsync(readEntries(store, size, last))) as [ReadEntry];
  if (entry.kind !== 'heads') throw new Failure(`${store.url}/${CHECKPOINT_KEY} does not end with heads`);
  return { ...view, heads: await readHeads(store, entry.heads) };
}

/** The newest history of each workspace, by the hash of the heads. @throws Failure if they cannot be read. */
export async function readHeads(store: ObjectStore, hash: string): Promise<Heads> {
  const key = headsKey(hash);
  return decodeHeads(await readNamed(store, key, hash, 'the log'), `${store.url}/${key}`);
}

/** Adds the entries up to the checkpoint. @throws Failure if that does not lead to its root. */
async function extend(
  store: ObjectStore,
  { edge, heads }: Pick<LogView, 'edge' | 'heads'>,
  checkpoint: Checkpoint,
): Promise<LogView> {
  const moved = new Map(heads);
  const leaves: Buffer[] = [];
  for await (const { entry, leaf } of readEntries(store, checkpoint.size, edge.size)) {
    moveHead(moved, entry);
    leaves.push(leaf);
  }
  const grown = addLeaves(edge, leaves).edge;
  if (grown.size !== checkpoint.size || !rootOfEdge(grown).equals(checkpoint.root))
    throw new Failure(`the entries in ${store.url} do not lead to ${CHECKPOINT_KEY}: the log was altered`);
  return { checkpoint, edge: grown, heads: moved };
}

function refuseShorter(kept: TreeHead, found: TreeHead, name: string): void {
  const [before, after] = [kept.size, found.size];
  if (found.origin !== kept.origin)
    throw new Failure(`${name} is of the log ${found.origin}, and was of ${kept.origin} before`);
  if (after < before)
    throw new Failure(`${name} has ${after} entries, and had ${before} before: an older state was put back`);
  if (after === before && !found.root.equals(kept.root))
    throw new Failure(`${name} has other entries than before: the log was rewritten`);
}

/**
 * The rule of everyone who keeps a checkpoint: what is found later must continue it.
 * @param name of what was found, for the message
 * @throws Failure if it does not, or the tiles cannot be read.
 */
export async function mustContinue(
  kept: TreeHead,
  found: TreeHead,
  readTile: ReadTile,
  name: string,
): Promise<void> {
  refuseShorter(kept, found, name);
  if (kept.size === found.size) return;
  const { part, whole } = await readRoots(kept.size, found.size, hashReader(found.size, readTile));
  if (!part.equals(kept.root) || !whole.equals(found.root))
    throw new Failure(
      `${name} does not continue the ${kept.size} entries that were seen before: the log was rewritten`,
    );
}

/** The publications of a workspace; null if the log has none. @throws Failure if they cannot be read. */
export async function readHistory(
  store: ObjectStore,
  { heads }: Pick<LogView, 'heads'>,
  workspaceId: string,
): Promise<History | null> {
  const hash = heads.get(workspaceId);
  if (hash === undefined) return null;
  const key = historyKey(workspaceId, hash);
  return decodeHistory(await readNamed(store, key, hash, 'the log'), workspaceId, `${store.url}/${key}`);
}
