import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { verifyStore } from '../verify/verify.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';

/**
 * The objects that publications left which died or were overtaken: nothing published names them.
 * @throws Failure where the store does not verify: they may be evidence then.
 */
export async function findUnpublished(
  store: ObjectStore,
  { workspaceId, trust }: { workspaceId?: string | undefined; trust: Trust | null },
): Promise<string[]> {
  const { problems, notes } = await verifyStore(store, { workspaceId, trust, allowEmpty: true });
  const [first] = problems;
  if (first !== undefined)
    throw new Failure(
      `the store does not verify, and nothing was removed: ${first.objects[0]}: ${first.message}`,
    );
  return notes.filter(({ kind }) => kind === 'unpublished').flatMap(({ objects }) => objects);
}

/** Removes them. Not while a job runs: what it has written so far looks the same. */
export async function removeObjects(store: ObjectStore, keys: readonly string[]): Promise<void> {
  await pMap(keys, async (key) => await store.delete(key), { concurrency: READS_AT_ONCE });
}
