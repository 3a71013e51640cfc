import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';
import { HEADS, TILES, WORKSPACES, historiesPrefix } from '../../layout.ts';
import { keysBelow } from '../../read.ts';
import { decodeBundle, encodeBundle } from '../entries.ts';
import { HASH_BYTES, tileOfKey } from '../tree/tiles.ts';

/** Named by the hash of their bytes. */
const HASHED = /^(?:heads|workspaces\/[^/]+\/histories)\/([0-9a-f]{64})\.json$/;

/**
 * Deletes heads, histories and partial tiles that newer ones replaced, and that were altered: nobody needs them, and
 * nothing has their bytes.
 * @param objects of the whole log, right by now
 * @returns their keys
 */
export async function deleteAlteredSuperseded(
  store: ObjectStore,
  objects: readonly Entry[],
): Promise<string[]> {
  const whole = new Map(objects.map(({ key, bytes }) => [tileName(key), { key, bytes: Buffer.from(bytes) }]));
  const deleted: string[] = [];
  const judge = async (key: string) => {
    const hash = HASHED.exec(key)?.[1];
    const tile = tileName(key) === '' ? undefined : whole.get(tileName(key));
    const beginning = hash === undefined && tile !== undefined ? beginningOf(key, tile) : null;
    if (hash === undefined && beginning === null) return;
    const object = await store.get(key);
    if (object === null) return;
    if (beginning === null ? sha256(object.bytes) === hash : beginning.equals(object.bytes)) return;
    await store.delete(key);
    deleted.push(key);
  };
  for (const prefix of [HEADS, TILES]) await manyAtOnce(await keysBelow(store, prefix), judge);
  for (const workspace of await store.folders(WORKSPACES))
    await manyAtOnce(await keysBelow(store, historiesPrefix(workspace)), judge);
  return deleted.toSorted();
}

/** The same for all widths of a tile; '' if the key is not one. */
function tileName(key: string): string {
  const tile = tileOfKey(key);
  return tile === null ? '' : `${tile.level}/${tile.index}`;
}

/** A smaller partial tile, or bundle, is the beginning of the whole one. Null if it is larger. */
function beginningOf(key: string, whole: { key: string; bytes: Buffer }): Buffer | null {
  const [{ level, width }, { width: most }] = [tileOfKey(key)!, tileOfKey(whole.key)!];
  if (width > most) return null;
  if (level !== 'entries') return whole.bytes.subarray(0, width * HASH_BYTES);
  return encodeBundle(decodeBundle(whole.bytes, most, whole.key).slice(0, width));
}
