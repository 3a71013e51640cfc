import type { KeyObject } from 'node:crypto';
import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { parseCheckpoint } from './notes/checkpoint.ts';
import type { Checkpoint, TreeHead } from './notes/checkpoint.ts';
import { decodeBundle } from './entries.ts';
import { CHECKPOINT_KEY, tileKey } from './layout.ts';
import { leafHash } from './tree/merkle.ts';
import { ED25519, judgeNote, verifierKey } from './notes/note.ts';
import type { Note } from './notes/note.ts';
import { HASH_BYTES, tileOf, tileWidth } from './tree/tiles.ts';
import type { TileAddress } from './tree/tiles.ts';

/** The checkpoint of a store's log; null if it has none. @throws Failure if the object is not a checkpoint. */
export async function readCheckpoint(
  store: ObjectStore,
): Promise<(Checkpoint & { version: string; bytes: Buffer }) | null> {
  const object = await store.get(CHECKPOINT_KEY);
  if (object === null) return null;
  return { ...parseCheckpoint(object.bytes, `${store.url}/${CHECKPOINT_KEY}`), ...object };
}

/** True if the note has a valid signature of one of the keys under the log's origin, and no wrong one. */
export function isSignedByLog(note: Note, origin: string, publicKeys: Iterable<KeyObject>): boolean {
  const verdicts = new Set(
    [...publicKeys].map((publicKey) => judgeNote(note, verifierKey(origin, ED25519, publicKey))),
  );
  return verdicts.has('valid') && !verdicts.has('wrong');
}

/** @throws Failure if none of the trusted keys signed the checkpoint. */
export function refuseUnlessSigned(checkpoint: Checkpoint, trust: Trust, name: string): void {
  if (!isSignedByLog(checkpoint.note, checkpoint.origin, trust.values()))
    throw new Failure(`${name} is not signed with a trusted key`);
}

/** Reads tiles of a store. @throws Failure if a tile is missing or has another width. */
export function tileReader(store: ObjectStore): (address: TileAddress) => Promise<Buffer> {
  return async (address) => {
    const bytes = await readTile(store, address);
    if (address.level !== 'entries' && bytes.length < address.width * HASH_BYTES)
      throw new Failure(`${store.url}/${tileKey(address)} is cut off`);
    return bytes.subarray(0, address.level === 'entries' ? bytes.length : address.width * HASH_BYTES);
  };
}

/** A partial tile may be gone once the full one is there (tlog-tiles, Partial Tiles). */
async function readTile(store: ObjectStore, address: TileAddress): Promise<Buffer> {
  const exact = await store.get(tileKey(address));
  const object = exact ?? (await store.get(tileKey({ ...address, width: tileWidth })));
  if (object === null) throw new Failure(`${store.url}/${tileKey(address)} is missing`);
  return object.bytes;
}

/** The entries of one bundle of a tree of this size, without verifying their hashes. */
export async function readBundle(store: ObjectStore, index: number, size: number): Promise<Buffer[]> {
  const address = { ...tileOf(0, index * tileWidth, size), level: 'entries' as const };
  const exact = await store.get(tileKey(address));
  const width = exact === null ? tileWidth : address.width;
  const bytes = exact?.bytes ?? (await readTile(store, address));
  return decodeBundle(bytes, width, `${store.url}/${tileKey(address)}`).slice(0, address.width);
}

/**
 * The entries of a tree, starting with the first entry of a bundle. The hash of each is compared with the level-0 tile.
 * @throws Failure if a bundle is missing or its entries do not match the tile.
 */
export async function* readEntries(
  store: ObjectStore,
  { size }: Pick<TreeHead, 'size'>,
  fromBundle = 0,
): AsyncGenerator<{ index: number; bytes: Buffer; leaf: Buffer }> {
  const read = tileReader(store);
  for (let bundle = fromBundle; bundle * tileWidth < size; bundle++) {
    const address = tileOf(0, bundle * tileWidth, size);
    const [tile, entries] = await Promise.all([read(address), readBundle(store, bundle, size)]);
    for (const [at, bytes] of entries.entries()) {
      const leaf = leafHash(bytes);
      if (!leaf.equals(tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)))
        throw new Failure(
          `${store.url}/${tileKey({ ...address, level: 'entries' })} and its tile of hashes differ at entry ${at}`,
        );
      yield { index: bundle * tileWidth + at, bytes, leaf };
    }
  }
}
