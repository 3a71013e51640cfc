import { chooseWorkspace, readEntry, readPublications } from '../../../../snapshots/reading/select.ts';
import type { Entry } from '../../../../snapshots/reading/select.ts';
import { readLog } from '../../../../snapshots/log/follow.ts';
import type { TestLog } from '../../../snapshots/publish.ts';

/** Newest first. */
export async function entriesOf({ store, ...identity }: TestLog): Promise<Entry[]> {
  const logged = { store, log: (await readLog(store, identity))! };
  const workspaceId = chooseWorkspace(logged, undefined);
  const { publications } = await readPublications(logged, workspaceId);
  const entries = publications.map(async (publication) => await readEntry(store, workspaceId, publication));
  return (await Promise.all(entries)).toReversed();
}
