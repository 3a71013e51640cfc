import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { Failure } from '../../lib/failure.ts';
import { readHistory } from '../log/follow.ts';
import { asOf, currentOf } from '../log/history.ts';
import type { Publication } from '../log/history.ts';
import { readManifest } from '../read.ts';
import type { LoggedStore } from './select.ts';

export interface Listed extends Publication {
  workspaceId: string;
  /** In the current snapshot; null if there is none, or it cannot be read. */
  workspaceName: string | null;
  asOf: string;
  isCurrent: boolean;
}

/** A workspace whose history cannot be read. */
export interface Broken {
  workspaceId: string;
  reason: string;
}

/** Every publication of one workspace, or of all, newest first. Two reads per workspace. */
export async function listSnapshots(
  { store, log }: LoggedStore,
  workspaceId?: string,
): Promise<{ snapshots: Listed[]; broken: Broken[] }> {
  const broken: Broken[] = [];
  const lists = await manyAtOnce(
    workspaceId === undefined ? [...log.heads.keys()].toSorted() : [workspaceId],
    async (id): Promise<Listed[]> => {
      try {
        const history = await readHistory(store, log, id);
        if (history === null) throw new Failure('the log has no snapshot of it');
        const current = currentOf(history);
        const manifest = current && (await readManifest(store, id, current).catch(() => null));
        const workspaceName = manifest?.workspaceName ?? null;
        return history.publications
          .map((each) => ({
            ...each,
            workspaceId: id,
            workspaceName,
            asOf: asOf(each),
            isCurrent: each === current,
          }))
          .toReversed();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        broken.push({ workspaceId: id, reason: error.message });
        return [];
      }
    },
  );
  return { snapshots: lists.flat(), broken };
}
