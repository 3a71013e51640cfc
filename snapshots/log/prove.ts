import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { TreeHead } from './notes/checkpoint.ts';
import { decodeEntry } from './entries.ts';
import { CHECKPOINT_KEY } from './layout.ts';
import { inclusionProof, isIncluded, leafHash } from './tree/merkle.ts';
import { formatNote } from './notes/note.ts';
import { readBundle, readCheckpoint, tileReader } from './read.ts';
import { hashReader, tileWidth } from './tree/tiles.ts';

/** Which entry to prove. */
export interface ProvedSnapshot {
  workspaceId: string;
  snapshotId: string;
  manifestSha256: string;
}

/**
 * A proof that a snapshot is in the log (c2sp.org/tlog-proof): the entry's place, its siblings up to the root, and
 * the checkpoint with its cosignatures. The `extra` line is the entry itself. Null where the log does not have it.
 * @throws Failure where the store has no log, or its tiles do not lead to the checkpoint.
 */
export async function proveSnapshot(store: ObjectStore, snapshot: ProvedSnapshot): Promise<string | null> {
  const checkpoint = await readCheckpoint(store);
  if (checkpoint === null) throw new Failure(`${store.url} has no log: "log append" begins one`);
  const found = await findEntry(store, checkpoint, snapshot);
  if (found === null) return null;
  const { index, bytes } = found;
  const proof = await inclusionProof(index, checkpoint.size, hashReader(checkpoint.size, tileReader(store)));
  if (!isIncluded(leafHash(bytes), index, checkpoint, proof))
    throw new Failure(`the tiles in ${store.url} do not lead to ${CHECKPOINT_KEY}: the log was altered`);
  return [
    'c2sp.org/tlog-proof@v1',
    `extra ${bytes.toString('base64')}`,
    `index ${index}`,
    ...proof.map((hash) => hash.toString('base64')),
    '',
    formatNote(checkpoint.note),
  ].join('\n');
}

/** From the newest bundle back: proofs are mostly asked for soon after the week. */
async function findEntry(
  store: ObjectStore,
  { size }: TreeHead,
  { workspaceId, snapshotId, manifestSha256 }: ProvedSnapshot,
): Promise<{ index: number; bytes: Buffer } | null> {
  for (let bundle = Math.ceil(size / tileWidth) - 1; bundle >= 0; bundle--) {
    for (const [at, bytes] of (await readBundle(store, bundle, size)).entries()) {
      if (!bytes.includes(manifestSha256)) continue;
      const entry = decodeEntry(bytes, `entry ${bundle * tileWidth + at} of the log`);
      if (entry.workspaceId === workspaceId && entry.snapshotId === snapshotId)
        return { index: bundle * tileWidth + at, bytes };
    }
  }
  return null;
}
