import { Failure } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { LOG, oldLogPrefix } from '../layout.ts';
import { decodeEntry, encodeEntry } from '../log/entries.ts';
import { foldOf } from '../log/fold.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import { readArchive, readContents } from '../log/write/archive.ts';
import type { ArchivedCommit } from '../log/write/archive.ts';
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
 * @throws Failure if the lake remembers no log of the old name, or one of the new name.
 */
export async function restartLog(parts: CommitParts, oldOrigin: string): Promise<{ size: number }> {
  const { store, lake, origin, clock } = parts;
  const old = await readCommitted(lake, oldOrigin);
  if (old === null) throw new Failure(`${lake.url} remembers no log ${oldOrigin}`);
  refuseWhileDeleting(old, clock);
  if ((await readCommitted(lake, origin)) === null) {
    await closeLog(lake, old, origin);
    await keepOldLog(store, old.checkpoint);
    const commits = await continuedCommits(lake, old, new Date(clock.now()).toISOString());
    const fold = foldOf(commits.flatMap((commit) => commit.entries));
    await remember(parts, fold, archivedParts(lake, commits), { deletions: 0, version: null });
  }
  return await repairLog(parts);
}

/** From here on nothing is committed under the old name. @throws Failure if another commit was faster. */
async function closeLog(lake: ObjectStore, old: StoredCommitted, continuedAs: string): Promise<void> {
  const { version, ...committed } = old;
  if (!(await swapCommitted(lake, { ...committed, continuedAs }, version))) throw overtaken(lake);
}

/** Copies the log as the store has it, a branch of a thief too. Then the new log is written in its place. */
async function keepOldLog(store: ObjectStore, head: TreeHead): Promise<void> {
  const folder = oldLogPrefix(head);
  await manyAtOnce(await keysBelow(store, LOG), async (key) => {
    const object = await store.get(key);
    if (object !== null) await store.create(`${folder}${key.slice(LOG.length)}`, object.bytes);
  });
}

/** The commits of a log, after an entry that says that another one continues it. */
async function continuedCommits(
  lake: ObjectStore,
  { checkpoint, archive }: Committed,
  at: string,
): Promise<ArchivedCommit[]> {
  const { origin, size, root } = checkpoint;
  const first = encodeEntry({ kind: 'continues', at, origin, size, root: root.toString('base64') });
  const commits = await readArchive(lake, archive);
  // A log that was itself restarted begins with its own `continues`, which the new one replaces.
  const [oldest] = commits as [ArchivedCommit];
  const isRestarted = decodeEntry(oldest.entries[0]!, 0).kind === 'continues';
  oldest.entries = [first, ...oldest.entries.slice(isRestarted ? 1 : 0)];
  return commits;
}

async function* archivedParts(lake: ObjectStore, commits: readonly ArchivedCommit[]): AsyncGenerator<Part> {
  for (const commit of commits) yield { entries: commit.entries, contents: await readContents(lake, commit) };
}
