import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { commit, encodeStaged, readCommitted } from './committed.ts';
import type { LoggedHead } from './committed.ts';
import { decodeEntry } from './entries.ts';
import { CHECKPOINT_KEY, stagedKey } from './layout.ts';
import { growingTree } from './tree/tiles.ts';
import { formatNote } from './notes/note.ts';
import { readCheckpoint, readEntries, refuseUnlessSigned } from './read.ts';

/**
 * Records the head of the store's log in the lake, after the lake was lost or the store moved. Reads and verifies every
 * entry.
 * @returns the number of entries in the log
 * @throws Failure if the store's log is incomplete, damaged, or not signed with a trusted key.
 */
export async function adoptLog(store: ObjectStore, lake: ObjectStore, trust: Trust): Promise<number> {
  // Before the store is read: an append that commits meanwhile must not be forgotten, or its head would be signed twice.
  const before = await readCommitted(lake);
  const checkpoint = await readCheckpoint(store);
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  if (checkpoint === null) throw new Failure(`${name} is missing: there is no log to adopt`);
  refuseUnlessSigned(checkpoint, trust, name);
  const tree = growingTree();
  const heads = new Map<string, LoggedHead>();
  for await (const { index, bytes, leaf } of readEntries(store, checkpoint)) {
    tree.add(leaf);
    const { workspaceId, sequence, manifestSha256 } = decodeEntry(bytes, `entry ${index} of the log`);
    heads.set(workspaceId, { sequence, manifestSha256 });
  }
  if (!(await tree.root(checkpoint.size)).equals(checkpoint.root))
    throw new Failure(`${name} is not the head of the log's entries`);
  const { size, root } = checkpoint;
  const staged = encodeStaged({
    format: 1,
    from: { size, root: root.toString('base64') },
    entries: [],
    heads: Object.fromEntries(heads),
  });
  const key = stagedKey(size, sha256(staged));
  await lake.create(key, staged);
  const next = { note: formatNote(checkpoint.note), staged: key, stagedSha256: sha256(staged) };
  if (!(await commit(lake, next, before?.version ?? null)))
    throw new Failure(`${lake.url} was changed by another append; try again`);
  return size;
}
