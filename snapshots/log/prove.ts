import { Failure } from '../../lib/failure.ts';
import type { SnapshotProof } from '../../lib/history/schemas.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../layout.ts';
import { readManifestBytes } from '../read.ts';
import { decodeEntry } from './entries.ts';
import type { Publication } from './history.ts';
import type { Checkpoint } from './notes/checkpoint.ts';
import { formatNote } from './notes/note.ts';
import { readBundle, tileReader } from './read.ts';
import { leafHash, proveInclusion } from './tree/merkle.ts';
import { hashReader, tileWidth } from './tree/tiles.ts';

/**
 * The evidence that one snapshot was published, for someone without access to the store: its manifest, the log's entry,
 * and the proof that the log contains the entry. It names no other workspace.
 * @param checkpoint a verified head of the log
 * @throws Failure if an object is missing, or the tiles do not lead to the checkpoint.
 */
export async function proveSnapshot(
  store: ObjectStore,
  checkpoint: Checkpoint,
  workspaceId: string,
  publication: Publication,
): Promise<SnapshotProof> {
  const [manifest, { index, bytes }] = await Promise.all([
    readManifestBytes(store, workspaceId, publication),
    findEntry(store, checkpoint.size, workspaceId, publication),
  ]);
  const { size } = checkpoint;
  const read = hashReader(size, tileReader(store));
  const { proof, root } = await proveInclusion(leafHash(bytes), index, size, read);
  if (!root.equals(checkpoint.root))
    throw new Failure(`the tiles in ${store.url} do not lead to ${CHECKPOINT_KEY}: the log was altered`);
  return {
    manifest: manifest.toString('utf8'),
    entry: bytes.toString('utf8'),
    inclusionProof: tlogProof(index, bytes, proof, checkpoint),
    checkpoint: formatNote(checkpoint.note),
  };
}

/** The text of a .tlog-proof file (c2sp.org/tlog-proof). The `extra` line is the entry itself. */
function tlogProof(index: number, entry: Buffer, proof: readonly Buffer[], { note }: Checkpoint): string {
  return [
    'c2sp.org/tlog-proof@v1',
    `extra ${entry.toString('base64')}`,
    `index ${index}`,
    ...proof.map((hash) => hash.toString('base64')),
    '',
    formatNote(note),
  ].join('\n');
}

/** Finds the entry of a publication, without proof: by binary search, because times do not decrease along the log. */
async function findEntry(
  store: ObjectStore,
  size: number,
  workspaceId: string,
  { publishedAt, manifestSha256, snapshotId }: Publication,
): Promise<{ index: number; bytes: Buffer }> {
  const at = entryReader(store, size);
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await at(middle)).entry.at >= publishedAt) high = middle;
    else low = middle + 1;
  }
  for (let index = low; index < size; index++) {
    const { entry, bytes } = await at(index);
    if (entry.at > publishedAt) break;
    const isFound = entry.kind === 'published' && entry.workspaceId === workspaceId;
    if (isFound && entry.manifestSha256 === manifestSha256) return { index, bytes };
  }
  throw new Failure(`the log in ${store.url} has no entry of ${snapshotId}`);
}

/** Reads entries and caches their bundles: neighbouring entries are in the same one. */
function entryReader(store: ObjectStore, size: number) {
  const bundles = new Map<number, Promise<Buffer[]>>();
  return async (index: number) => {
    const number = Math.floor(index / tileWidth);
    const reading = bundles.getOrInsertComputed(number, async () => await readBundle(store, number, size));
    const bytes = (await reading)[index % tileWidth]!;
    return { entry: decodeEntry(bytes, index), bytes };
  };
}
