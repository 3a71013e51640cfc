import type { KeyObject } from 'node:crypto';
import { pMapIterable } from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { OBJECTS_AT_ONCE } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../layout.ts';
import { decodeBundle, decodeEntry } from './entries.ts';
import type { LogEntry, NewerEntry } from './entries.ts';
import { parseCheckpoint } from './notes/checkpoint.ts';
import type { Checkpoint } from './notes/checkpoint.ts';
import { NOTE_BYTES_MAX, judgeNote, verifierKey } from './notes/note.ts';
import type { Note } from './notes/note.ts';
import { leafHash } from './tree/merkle.ts';
import { HASH_BYTES, bundleOf, tileKey, tileWidth } from './tree/tiles.ts';
import type { ReadTile, TileAddress } from './tree/tiles.ts';

export type StoredCheckpoint = Checkpoint & { version: string };

/** The checkpoint of a store's log; null if it has none. @throws Failure if it is not one. */
export async function readCheckpoint(store: ObjectStore): Promise<StoredCheckpoint | null> {
  const object = await store.get(CHECKPOINT_KEY, NOTE_BYTES_MAX);
  if (object === null) return null;
  return { ...parseCheckpoint(object.bytes, `${store.url}/${CHECKPOINT_KEY}`), version: object.version };
}

/** True if the note has a valid signature of one of the keys under the log's origin, and no wrong one. */
export function isSignedByLog(note: Note, origin: string, publicKeys: Iterable<KeyObject>): boolean {
  const verdicts = new Set(
    [...publicKeys].map((publicKey) => judgeNote(note, verifierKey(origin, publicKey))),
  );
  return verdicts.has('valid') && !verdicts.has('wrong');
}

/** Reads tiles of a store, cut to the width that is asked for. @throws Failure if a tile is missing or too short. */
export function tileReader(store: ObjectStore): ReadTile {
  return async (address) => {
    const { bytes } = await readTile(store, address);
    if (bytes.length < address.width * HASH_BYTES)
      throw new Failure(`${store.url}/${tileKey(address)} is cut off`);
    return bytes.subarray(0, address.width * HASH_BYTES);
  };
}

/** Each entry is after its length in two bytes. */
const BUNDLE_BYTES_MAX = tileWidth * (2 + 0xffff);

/** A partial tile may be gone once the full one is there (tlog-tiles, Partial Tiles). */
async function readTile(store: ObjectStore, address: TileAddress): Promise<{ bytes: Buffer; width: number }> {
  const most = address.level === 'entries' ? BUNDLE_BYTES_MAX : tileWidth * HASH_BYTES;
  for (const width of new Set([address.width, tileWidth])) {
    const object = await store.get(tileKey({ ...address, width }), most);
    if (object !== null) return { bytes: object.bytes, width };
  }
  throw new Failure(`${store.url}/${tileKey(address)} is missing`);
}

/** The entries of one bundle of a tree of this size, without comparing their hashes. */
export async function readBundle(store: ObjectStore, bundle: number, size: number): Promise<Buffer[]> {
  const address = bundleOf(bundle * tileWidth, size);
  const { bytes, width } = await readTile(store, address);
  return decodeBundle(bytes, width, `${store.url}/${tileKey(address)}`).slice(0, address.width);
}

export interface ReadEntry {
  index: number;
  entry: LogEntry | NewerEntry;
  bytes: Buffer;
  leaf: Buffer;
}

/**
 * Entries of a tree of this size, from `from` on, without proof: the caller adds the leaves to the edge before them, and
 * compares the root.
 * @throws Failure if a bundle is missing or malformed.
 */
export async function* readEntries(store: ObjectStore, size: number, from = 0): AsyncGenerator<ReadEntry> {
  for await (const entries of readBundles(store, size, from)) yield* entries;
}

/** As {@link readEntries}, one bundle after the other. */
export function readBundles(store: ObjectStore, size: number, from = 0): AsyncIterable<ReadEntry[]> {
  const read = async (bundle: number) =>
    (await readBundle(store, bundle, size)).flatMap((bytes, at) => {
      const index = bundle * tileWidth + at;
      return index < from ? [] : [{ index, entry: decodeEntry(bytes, index), bytes, leaf: leafHash(bytes) }];
    });
  const first = Math.floor(from / tileWidth);
  return pMapIterable(bundlesOf(first, size), read, { concurrency: OBJECTS_AT_ONCE });
}

/** One at a time: the size may be that of a checkpoint that names far more entries than there are. */
function* bundlesOf(first: number, size: number): Generator<number> {
  for (let bundle = first; bundle * tileWidth < size; bundle += 1) yield bundle;
}
