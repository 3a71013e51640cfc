import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { judgeSignature } from '../signing.ts';
import type { Trust, Verdict } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, signatureKey } from '../layout.ts';
import { encodeManifest } from '../manifest.ts';
import type { PastSnapshot } from '../manifest.ts';
import { readPrunedIds } from '../read.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';
import { readSnapshots, readSnapshotsIfAny } from './select.ts';
import type { Entry, Snapshots } from './select.ts';

export interface Listed extends PastSnapshot {
  workspaceId: string;
  workspaceName: string | null;
  isCurrent: boolean;
  isPruned: boolean;
  /**
   * The verdict on the signature of the current snapshot, or `unchecked` if no key was given. `vouched` for older
   * snapshots: the history of the current one contains their hash. Null if not signed.
   */
  signature: Verdict | 'missing' | 'unchecked' | 'vouched' | null;
}

/** A workspace whose head cannot be read. */
export interface Broken {
  workspaceId: string;
  reason: string;
}

/** Every published snapshot of the given workspaces, or of all, newest first. Five reads per workspace. */
export async function listSnapshots(
  store: ObjectStore,
  { workspaceId, trust }: { workspaceId?: string | undefined; trust: Trust | null },
): Promise<{ snapshots: Listed[]; broken: Broken[] }> {
  await store.check();
  const workspaces = workspaceId === undefined ? await store.folders(WORKSPACES) : [workspaceId];
  // Of a workspace whose first publication is running, or was killed, there is nothing to list yet.
  const read = workspaceId === undefined ? readSnapshotsIfAny : readSnapshots;
  const broken: Broken[] = [];
  const lists = await pMap(
    workspaces,
    async (id) => {
      try {
        const found = await read(store, id);
        return found === null ? [] : await listWorkspace(store, id, found, trust);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        broken.push({ workspaceId: id, reason: error.message });
        return [];
      }
    },
    { concurrency: READS_AT_ONCE },
  );
  return { snapshots: lists.flat(), broken };
}

async function listWorkspace(
  store: ObjectStore,
  workspaceId: string,
  { head, snapshots }: Snapshots,
  trust: Trust | null,
) {
  const pruned = await readPrunedIds(store, workspaceId);
  const signature = await signatureOf(store, head, trust);
  return snapshots.map((past, index): Listed => ({
    ...past,
    workspaceId,
    workspaceName: head.manifest.workspaceName,
    isCurrent: index === 0,
    isPruned: pruned.has(past.snapshotId),
    signature: past.signedBy === null ? null : index === 0 ? signature : 'vouched',
  }));
}

async function signatureOf(
  store: ObjectStore,
  { link, manifest }: Entry,
  trust: Trust | null,
): Promise<Listed['signature']> {
  if (manifest.signedBy === null) return null;
  const { workspaceId, snapshotId, signedBy } = manifest;
  const signature = await store.get(signatureKey(workspaceId, snapshotId, link.manifestSha256));
  if (signature === null) return 'missing';
  // Readers refuse manifests that are not canonical, so encoding gives the bytes that were read.
  return trust === null
    ? 'unchecked'
    : judgeSignature(trust, signedBy, encodeManifest(manifest), signature.bytes);
}
