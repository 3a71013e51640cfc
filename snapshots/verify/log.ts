import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { handleDamage, orNull } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, HEADS, TILES, headsKey } from '../layout.ts';
import { decodeBundle } from '../log/entries.ts';
import { Folder } from '../log/fold.ts';
import type { Fold } from '../log/fold.ts';
import { encodeHeads, moveHead } from '../log/history.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import { isSignedByLog, readBundles, readCheckpoint } from '../log/read.ts';
import type { StoredCheckpoint } from '../log/read.ts';
import { addLeaves, emptyEdge, rootOfEdge } from '../log/tree/edge.ts';
import { leafHash } from '../log/tree/merkle.ts';
import { HASH_BYTES, tileKey, tileOfKey, tileWidth, tilesOf } from '../log/tree/tiles.ts';
import type { TileAddress } from '../log/tree/tiles.ts';
import { hasAnything, keysBelow } from '../read.ts';
import type { Reporter } from './findings.ts';
import type { VerifyOptions } from './report.ts';
import { bytesOf, checkVersions } from './stored.ts';

/** A log whose entries lead to its checkpoint, and what they say. */
export interface VerifiedLog {
  checkpoint: StoredCheckpoint;
  fold: Fold;
  /** By workspace: the SHA-256 of every history that an entry names. */
  namedHistories: ReadonlyMap<string, Set<string>>;
}

/**
 * Reads the whole log: signature, every entry against the rules and the root, every tile, heads and kept checkpoints.
 * @returns null if there is no log, or it cannot be read to its end; that was reported
 */
export async function verifyLog(
  store: ObjectStore,
  options: VerifyOptions,
  report: Reporter,
): Promise<VerifiedLog | null> {
  const unlessDamaged = async <T>(part: string, read: () => Promise<T | null>) =>
    await handleDamage(read, ({ message }) => {
      report.problem('log_damaged', [part], message);
      return null;
    });
  const checkpoint = await unlessDamaged(CHECKPOINT_KEY, () => checkpointOf(store, options, report));
  if (checkpoint === null) return null;
  const { size, origin } = checkpoint;
  const kept = options.kept ?? [];
  const sizes = new Set(kept.map(({ head }) => head.size));
  const read = await unlessDamaged(TILES, () => readTree(store, size, sizes));
  if (read === null) return null;
  if (!read.roots.get(size)!.equals(checkpoint.root)) {
    report.problem('log_damaged', [CHECKPOINT_KEY], 'it is not the head of the entries in the log');
    return null;
  }
  for (const { head, name } of kept) judgeKept({ head, name, origin, size }, read.roots, report);
  judgeTime(read.fold.at, options.now, report);
  for (const unknown of read.fold.newer) report.newer.add(unknown);
  await checkTiles(store, size, read.tiles, report);
  await checkHeads(store, read, report);
  report.checked.logEntries = size;
  return { ...read, checkpoint };
}

/** @returns null if there is none, or it is not to be trusted; that was reported @throws Failure if it is malformed */
async function checkpointOf(
  store: ObjectStore,
  { identity, kept = [], allowEmpty }: VerifyOptions,
  report: Reporter,
): Promise<StoredCheckpoint | null> {
  const checkpoint = await readCheckpoint(store);
  if (checkpoint === null) {
    if (kept.length > 0 || (await hasAnything(store, '')))
      report.problem(
        'log_missing',
        [CHECKPOINT_KEY],
        'the store has no checkpoint, and is not empty, or was seen with one',
      );
    else if (allowEmpty !== true) report.problem('no_snapshots', [], `nothing was published to ${store.url}`);
    return null;
  }
  const { origin, note } = checkpoint;
  // Nothing else is read then: its size, too, may be a thief's.
  if (!isSignedByLog(note, origin, identity.trust.values())) {
    report.problem('log_unsigned', [CHECKPOINT_KEY], 'it is not signed with a trusted key');
    return null;
  }
  if (identity.origin !== null && origin !== identity.origin) {
    const message = `it is of the log ${origin}, not of ${identity.origin}`;
    report.problem('log_rewritten', [CHECKPOINT_KEY], message);
    return null;
  }
  return checkpoint;
}

/** Clocks differ by less. */
const TOLERATED_MS = 5 * 60_000;

/** Times never decrease along the log, so the newest is the latest. */
function judgeTime(newest: string, now: number, report: Reporter): void {
  const message = `the newest entry is of ${newest}, and the clock says ${new Date(now).toISOString()}`;
  if (Date.parse(newest) > now + TOLERATED_MS) report.problem('log_in_future', [], message);
}

interface ReadTree {
  fold: Fold;
  namedHistories: Map<string, Set<string>>;
  namedHeads: Set<string>;
  /** The roots of the sizes that were asked for, and of the whole. */
  roots: Map<number, Buffer>;
  tiles: Map<string, Buffer>;
}

/** Reads all entries. @throws Failure if one is missing, malformed or breaks a rule. */
async function readTree(store: ObjectStore, size: number, sizes: ReadonlySet<number>): Promise<ReadTree> {
  const fold = new Folder();
  const read: ReadTree = {
    fold,
    namedHistories: new Map(),
    namedHeads: new Set(),
    roots: new Map(),
    tiles: new Map(),
  };
  let edge = emptyEdge;
  let leaves: Buffer[] = [];
  const grow = () => {
    const grown = addLeaves(edge, leaves);
    for (const tile of grown.tiles) read.tiles.set(`${tile.level}/${tile.index}`, tile.bytes);
    [edge, leaves] = [grown.edge, []];
  };
  for await (const entries of readBundles(store, size)) {
    for (const { index, entry, leaf } of entries) {
      if (sizes.has(index)) {
        grow();
        read.roots.set(index, rootOfEdge(edge));
      }
      fold.add(entry, index);
      if (entry.kind === 'heads') read.namedHeads.add(entry.heads);
      const moved = new Map<string, string>();
      moveHead(moved, entry);
      for (const [workspaceId, history] of moved)
        read.namedHistories.getOrInsertComputed(workspaceId, () => new Set()).add(history);
      leaves.push(leaf);
    }
    grow();
  }
  read.roots.set(size, rootOfEdge(edge));
  return read;
}

function judgeKept(
  { head, name, origin, size }: { head: TreeHead; name: string; origin: string; size: number },
  roots: ReadonlyMap<number, Buffer>,
  report: Reporter,
): void {
  const problem = (message: string) =>
    report.problem('log_rewritten', [CHECKPOINT_KEY], `${message} (${name})`);
  if (head.origin !== origin) problem(`it is of the log ${origin}; ${head.origin} was seen before`);
  else if (head.size > size) problem(`it has ${size} entries; ${head.size} were seen before`);
  else if (roots.get(head.size)?.equals(head.root) !== true)
    problem(`the first ${head.size} entries are not those that were seen before`);
}

/** Compares every tile and bundle; a bundle that is missing was found before. Those beyond the head are of a commit that runs. */
async function checkTiles(
  store: ObjectStore,
  size: number,
  tiles: ReadonlyMap<string, Buffer>,
  report: Reporter,
): Promise<void> {
  const listed = new Set(await keysBelow(store, TILES));
  await manyAtOnce(listed, async (key) => {
    const address = tileOfKey(key);
    if (address === null) return report.unnamed([key]);
    const { level, index, width } = address;
    const whole = tiles.get(`${level === 'entries' ? 0 : level}/${index}`);
    if (whole === undefined || whole.length < width * HASH_BYTES) return void report.unpublished.push(key);
    if (!(await hasHashes(store, key, address, whole.subarray(0, width * HASH_BYTES))))
      report.problem('log_damaged', [key], 'this tile does not match the entries of the log');
  });
  for (const address of tilesOf(size)) {
    const isThere = [address.width, tileWidth].some((width) => listed.has(tileKey({ ...address, width })));
    if (!isThere) report.problem('log_damaged', [tileKey(address)], 'this tile of the log is missing');
  }
}

async function hasHashes(
  store: ObjectStore,
  key: string,
  { level, width }: TileAddress,
  hashes: Buffer,
): Promise<boolean> {
  const bytes = await bytesOf(store, key);
  if (bytes === null) return true; // removed since it was listed
  if (level !== 'entries') return bytes.equals(hashes);
  const entries = orNull(() => decodeBundle(bytes, width, key));
  return entries !== null && Buffer.concat(entries.map(leafHash)).equals(hashes);
}

async function checkHeads(
  store: ObjectStore,
  { fold, namedHeads }: ReadTree,
  report: Reporter,
): Promise<void> {
  const listed = await keysBelow(store, HEADS);
  const newest = sha256(encodeHeads(fold.heads));
  const versions = { what: 'index of heads', hashes: namedHeads, newest, keyOf: headsKey } as const;
  const named = await checkVersions(store, { ...versions, there: new Set(listed) }, report);
  report.unnamed(listed.filter((key) => !named.has(key)));
}
