import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES } from '../layout.ts';

/** A store of an earlier version of this software, which had a pointer for each workspace and no log. */
export class OldFormat extends Failure {}

/** Looks at one workspace of a store without a checkpoint. @throws OldFormat */
export async function refuseOldFormat(store: ObjectStore): Promise<void> {
  const [first] = await store.folders(WORKSPACES);
  if (first === undefined) return;
  const pointer = `${WORKSPACES}${first}/current.json`;
  if ((await store.get(pointer)) === null) return;
  throw new OldFormat(
    `${store.url} has no log, and ${pointer}: it is of format 1 or 2, which was never released; publish to an empty store`,
  );
}
