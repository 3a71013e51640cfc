import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { Failure } from '../../lib/failure.ts';
import { prepareCommit } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { DELETION_MS, readCommitted, swapCommitted, withCommitted } from '../log/write/committed.ts';
import { SUPERSEDED_MS } from '../publish/replaced.ts';
import { verifyStore } from '../verify/verify.ts';

/**
 * Objects that nothing names, because a publication was killed, and that are older than a day.
 * @throws Failure if the store does not verify: then they may be evidence.
 */
export async function findUnpublished({ store, origin, signer, clock }: CommitParts): Promise<string[]> {
  const identity = { origin, trust: signer.trust };
  const { problems, notes } = await verifyStore(store, { identity, now: clock.now(), allowEmpty: true });
  const [first] = problems;
  if (first !== undefined)
    throw new Failure(
      `the store does not verify, and nothing was removed: ${first.objects[0] ?? first.kind}: ${first.message}`,
    );
  const named = new Set(notes.filter(({ kind }) => kind === 'unpublished').flatMap(({ objects }) => objects));
  const old: string[] = [];
  for await (const { key, modifiedAt } of store.list(''))
    if (named.has(key) && clock.now() - modifiedAt > SUPERSEDED_MS) old.push(key);
  return old;
}

/** Removes them, while no publication can begin to name one of them. @returns the keys that were removed */
export async function removeUnpublished(parts: CommitParts): Promise<string[]> {
  const before = (await readCommitted(parts.lake, parts.origin))?.checkpoint.size ?? 0;
  const found = await findUnpublished(parts);
  const removed: string[] = [];
  await whileDeleting(parts, async (goesOn, size) => {
    if (size !== before)
      throw new Failure('something was published meanwhile, and nothing was removed; try again');
    await manyAtOnce(found, async (key) => {
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
  const size = await raise(parts, new Date(began).toISOString());
  try {
    // Half of the time after which others no longer wait.
    await work(() => clock.now() - began < DELETION_MS / 2, size);
  } finally {
    await raise(parts, null);
  }
}

/** @returns the size of the log then */
async function raise(parts: CommitParts, deletingSince: string | null): Promise<number> {
  const { lake } = parts;
  const attempt = async () =>
    await withCommitted(parts, async (committed) => {
      if (committed === null) throw new Failure(`${lake.url} remembers no log: nothing was published yet`);
      if (deletingSince !== null) await prepareCommit(parts, committed);
      const { version, ...rest } = committed;
      const raised = { ...rest, deletions: rest.deletions + 1, deletingSince };
      return (await swapCommitted(lake, raised, version)) ? rest.checkpoint.size : null;
    });
  for (;;) {
    const size = await attempt();
    if (size !== null) return size;
  }
}
