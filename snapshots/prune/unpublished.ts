import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { verifyStore } from '../verify/verify.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';

/**
 * The keys of objects that killed or overtaken publications left: no published object names them.
 * @throws Failure if the store does not verify: then they may be evidence.
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

/** Removes objects. Danger: do not run it while a job runs, whose objects look the same until they are published. */
export async function removeObjects(store: ObjectStore, keys: readonly string[]): Promise<void> {
  await pMap(keys, async (key) => await store.delete(key), { concurrency: READS_AT_ONCE });
}
