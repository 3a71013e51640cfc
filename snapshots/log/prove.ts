import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { LogEntry } from './entries.ts';
import { findEntry } from './find-entry.ts';
import { CHECKPOINT_KEY } from './layout.ts';
import { inclusionProof, isIncluded, leafHash } from './tree/merkle.ts';
import type { Checkpoint } from './notes/checkpoint.ts';
import { formatNote } from './notes/note.ts';
import { tileReader } from './read.ts';
import { hashReader } from './tree/tiles.ts';

/**
 * A proof that a snapshot is in the log (c2sp.org/tlog-proof): the index of the entry, its sibling hashes up to the
 * root, and the checkpoint with its cosignatures. The `extra` line is the entry itself. Null if the log does not
 * contain it.
 * @param checkpoint the head of the log in the store
 * @throws Failure if the tiles of the store do not lead to the checkpoint.
 */
export async function proveSnapshot(
  store: ObjectStore,
  checkpoint: Checkpoint,
  snapshot: Omit<LogEntry, 'sequence'>,
): Promise<string | null> {
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
