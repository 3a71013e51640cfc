import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { Failure } from '../../lib/failure.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { readCommitted } from '../log/write/committed.ts';
import { whileDeleting } from '../log/write/deletion.ts';
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
