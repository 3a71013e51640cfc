import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { Failure } from '../../lib/failure.ts';
import { commitToLog, prepareCommit } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { DELETION_MS, readCommitted, swapCommitted, withCommitted } from '../log/write/committed.ts';
import { SUPERSEDED_MS } from '../publish/replaced.ts';
import { verifyStore } from '../verify/verify.ts';

/**
 * Objects that nothing names, because a publication was killed, and that are older than a day.
 * @throws Failure if the store does not verify: then they may be evidence.
 */
export async function findUnpublished(parts: CommitParts): Promise<string[]> {
  return (await unpublishedAt(parts)).keys;
}

/** With the size of the log of which nothing names them. */
async function unpublishedAt(parts: CommitParts): Promise<{ keys: string[]; size: number }> {
  const { store, lake, origin, signer, clock } = parts;
  const identity = { origin, trust: signer.trust };
  const options = { identity, now: clock.now(), allowEmpty: true };
  const { problems, notes, log } = await verifyStore(store, options);
  const [first] = problems;
  if (first !== undefined)
    throw new Failure(
      `the store does not verify, and nothing was removed: ${first.objects[0] ?? first.kind}: ${first.message}`,
    );
  const size = log?.size ?? 0;
  // Otherwise entries that the store does not show yet may name them.
  if (((await readCommitted(lake, origin))?.checkpoint.size ?? 0) !== size)
    throw new Failure(
      `${store.url} does not show all that ${lake.url} remembers: "audit log complete" completes it, and so does the next run of the job`,
    );
  const named = new Set(notes.filter(({ kind }) => kind === 'unpublished').flatMap(({ objects }) => objects));
  const old: string[] = [];
  for await (const { key, modifiedAt } of store.list(''))
    if (named.has(key) && clock.now() - modifiedAt > SUPERSEDED_MS) old.push(key);
  return { keys: old, size };
}

/** Removes them, while no publication can begin to name one of them. @returns the keys that were removed */
export async function removeUnpublished(parts: CommitParts): Promise<string[]> {
  // Completes what a killed commit left, as every command that writes.
  await commitToLog(parts, () => Promise.resolve({ drafts: [] }));
  const found = await unpublishedAt(parts);
  const removed: string[] = [];
  await whileDeleting(parts, async (goesOn, size) => {
    if (size !== found.size)
      throw new Failure('something was published meanwhile, and nothing was removed; try again');
    await manyAtOnce(found.keys, async (key) => {
      if (!goesOn()) return;
      await parts.store.delete(key);
      removed.push(key);
    });
  });
  return removed.toSorted();
}

/**
 * Deletes objects that nothing names, while no publication can begin to name them: commits are refused meanwhile, and a
 * publication that wrote objects before looks at them again (publish/publisher.ts).
 * @param work may go on while `goesOn` is true; a deletion that was given up by others must stop. `size`: of the log
 * @throws Failure if nothing was ever committed, or another deletion is running.
 */
export async function whileDeleting(
  parts: CommitParts,
  work: (goesOn: () => boolean, size: number) => Promise<void>,
): Promise<void> {
  const { clock } = parts;
  const began = clock.now();
  const since = new Date(began).toISOString();
  const size = await changeMark(parts, null, since);
  try {
    // Half of the time after which others no longer wait.
    await work(() => clock.now() - began < DELETION_MS / 2, size);
  } finally {
    await changeMark(parts, since, null);
  }
}

/** Begins a deletion, or ends one's own: another one may have given it up. @returns the size of the log then */
async function changeMark(
  parts: CommitParts,
  own: string | null,
  deletingSince: string | null,
): Promise<number> {
  const { lake } = parts;
  const attempt = async () =>
    await withCommitted(parts, async (committed) => {
      if (committed === null) throw new Failure(`${lake.url} remembers no log: nothing was published yet`);
      const { version, ...rest } = committed;
      if (deletingSince !== null) await prepareCommit(parts, committed);
      else if (rest.deletingSince !== own) return rest.checkpoint.size;
      const raised = { ...rest, deletions: rest.deletions + 1, deletingSince };
      return (await swapCommitted(lake, raised, version)) ? rest.checkpoint.size : null;
    });
  for (;;) {
    const size = await attempt();
    if (size !== null) return size;
  }
}
