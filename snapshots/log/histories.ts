import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readCurrentPointer } from '../current-pointer.ts';
import { WORKSPACES } from '../layout.ts';
import { readHistory, readManifest } from '../read.ts';
import type { WorkspaceHistory } from './append.ts';

/**
 * The published snapshots of every workspace of a store, by its verified head. Three or four reads per workspace.
 * @param trust the head must be signed with one of these keys
 */
export async function* publishedHistories(
  store: ObjectStore,
  trust: Trust,
  onWorkspace?: () => void,
): AsyncGenerator<WorkspaceHistory> {
  for (const workspaceId of await store.folders(WORKSPACES)) {
    yield await historyOf(store, workspaceId, trust);
    onWorkspace?.();
  }
}

async function historyOf(store: ObjectStore, workspaceId: string, trust: Trust): Promise<WorkspaceHistory> {
  try {
    const pointer = await readCurrentPointer(store, workspaceId);
    if (pointer === null) return { workspaceId, snapshots: [] };
    const manifest = await readManifest(store, workspaceId, pointer, trust);
    const history = await readHistory(store, manifest, pointer.manifestSha256);
    return {
      workspaceId,
      snapshots: history.map(({ sequence, snapshotId, manifestSha256, publishedAt }) => ({
        workspaceId,
        sequence,
        snapshotId,
        manifestSha256,
        publishedAt,
      })),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { workspaceId, failure: error.message };
  }
}
