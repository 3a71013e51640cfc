import { Failure } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, LOG, oldLogPrefix } from '../layout.ts';
import { decodeEntry, encodeEntry } from '../log/entries.ts';
import { foldOf } from '../log/fold.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import { entriesIn, readArchive, readContents } from '../log/write/archive.ts';
import type { Archive, ArchivedCommit } from '../log/write/archive.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { readCommitted, refuseWhileDeleting, swapCommitted } from '../log/write/committed.ts';
import type { Committed, StoredCommitted } from '../log/write/committed.ts';
import { keysBelow } from '../read.ts';
import { overtaken, remember } from './adopt.ts';
import type { Part } from './adopt.ts';
import { repairLog } from './repair.ts';

/**
 * Begins the log again under another name: first an entry that names the old log, then the old entries, unchanged. For a
 * log of which readers have accepted a branch that is not ours, or a later state that is lost.
 * @param parts with the new name; the key that signs the new log
 * @throws Failure if the lake remembers no log of the old name, or another one of the new name, or if the old one goes on
 * under another name.
 */
export async function restartLog(parts: CommitParts, oldOrigin: string): Promise<{ size: number }> {
  const { store, lake, origin, clock } = parts;
  const old = await readCommitted(lake, oldOrigin);
  if (old === null) throw new Failure(`${lake.url} remembers no log ${oldOrigin}`);
  if ((old.continuedAs ?? origin) !== origin)
    throw new Failure(`the log ${oldOrigin} goes on as ${old.continuedAs}, which LOG_ORIGIN must be`);
  refuseWhileDeleting(old, clock);
  const known = await readCommitted(lake, origin);
  if (known !== null && known.continues?.origin !== oldOrigin)
    throw new Failure(`${lake.url} remembers a log ${origin}, which does not continue ${oldOrigin}`);
  if (known === null) {
    const archive = await continuedArchive(lake, old, new Date(clock.now()).toISOString());
    const fold = foldOf(entriesIn(archive));
    await closeLog(lake, old, origin);
    await moveOldLog(store, old.checkpoint);
    const before = { deletions: 0, continuedAs: null, version: null };
    await remember(parts, fold, archivedParts(lake, archive), before);
  }
  return await repairLog(parts);
}

/** From here on nothing is committed under the old name. @throws Failure if another commit was faster. */
async function closeLog(lake: ObjectStore, old: StoredCommitted, continuedAs: string): Promise<void> {
  const { version, ...committed } = old;
  if (!(await swapCommitted(lake, { ...committed, continuedAs }, version))) throw overtaken(lake);
}

/** Moves the log as the store has it, a branch of a thief too. The new checkpoint then replaces the old one. */
async function moveOldLog(store: ObjectStore, head: TreeHead): Promise<void> {
  const folder = oldLogPrefix(head);
  await manyAtOnce(await keysBelow(store, LOG), async (key) => {
    const object = await store.get(key);
    if (object !== null) await store.create(`${folder}${key.slice(LOG.length)}`, object.bytes);
    if (key !== CHECKPOINT_KEY) await store.delete(key);
  });
}

/** The commits of a log, after an entry that says that another one continues it. */
async function continuedArchive(
  lake: ObjectStore,
  { checkpoint, archive }: Committed,
  at: string,
): Promise<Archive> {
  const { origin, size, root } = checkpoint;
  const first = encodeEntry({ kind: 'continues', at, origin, size, root: root.toString('base64') });
  const archived = await readArchive(lake, archive);
  // A log that was itself restarted begins with its own `continues`, which the new one replaces.
  const [oldest] = archived.commits as [ArchivedCommit];
  const isRestarted = decodeEntry(oldest.entries[0]!, 0).kind === 'continues';
  oldest.entries = [first, ...oldest.entries.slice(isRestarted ? 1 : 0)];
  return archived;
}

async function* archivedParts(lake: ObjectStore, { commits }: Archive): AsyncGenerator<Part> {
  for (const commit of commits) yield { entries: commit.entries, contents: await readContents(lake, commit) };
}
