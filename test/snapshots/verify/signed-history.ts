import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trust } from '../../../snapshots/signing.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import type { VerifyReport } from '../../../snapshots/verify/report.ts';
import { copyStore, keysOf, makeTestKeys, publishHistory, snapshotIdsOf, workspaceIds } from '../history.ts';
import type { Keys } from '../history.ts';

export const [workspaceId] = workspaceIds;

export interface SignedHistory {
  root: string;
  /** The unchanged store. */
  original: string;
  keys: string[];
  /** Of the first workspace, oldest first. */
  ids: string[];
  own: Keys;
  thief: Keys;
  /** Verifies a copy of the store after a change. */
  verifyAfter(tamper: (folder: string) => Promise<void>, trust?: Trust | null): Promise<VerifyReport>;
}

/** Two workspaces of four signed weeks, of which the oldest of the first is pruned. */
export async function makeSignedHistory(root: string): Promise<SignedHistory> {
  const original = join(root, 'original');
  const own = await makeTestKeys(root, 'own');
  const thief = await makeTestKeys(root, 'thief');
  const store = await publishHistory(original, own.signer);
  const options = { workspaceId, keep: [{ newest: 3 }], signer: own.signer, trust: own.trust };
  await pruneSnapshots(store, { ...options, now: Date.parse('2026-11-20T00:00:00Z'), isDryRun: false });
  return {
    root,
    original,
    own,
    thief,
    keys: await keysOf(store),
    ids: await snapshotIdsOf(original, workspaceId),
    async verifyAfter(tamper, trust = own.trust) {
      const folder = join(root, randomUUID());
      const copy = await copyStore(original, folder);
      try {
        await tamper(folder);
        return await verifyStore(copy, { trust });
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** The objects that the problems name. */
export function named({ problems }: VerifyReport): string[] {
  return problems.flatMap(({ objects }) => objects);
}

export function kinds({ problems }: VerifyReport): string[] {
  return problems.map(({ kind }) => kind);
}
