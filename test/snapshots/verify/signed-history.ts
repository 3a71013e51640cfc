import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
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
  /** Verifies a copy of the store after a change, and undoes the change. */
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
  const changed = join(root, 'changed');
  const copy = await copyStore(original, changed);
  const contents = await contentsOf(original);
  return {
    root,
    original,
    own,
    thief,
    keys: await keysOf(store),
    ids: await snapshotIdsOf(original, workspaceId),
    async verifyAfter(tamper, trust = own.trust) {
      try {
        await tamper(changed);
        return await verifyStore(copy, { trust });
      } finally {
        await restore(changed, contents);
      }
    },
  };
}

async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file)] as const)),
  );
}

/** Undoing a change takes a tenth of the time of a new copy. */
async function restore(folder: string, contents: ReadonlyMap<string, Buffer>): Promise<void> {
  const found = await contentsOf(folder);
  for (const path of found.keys()) if (!contents.has(path)) await rm(join(folder, path));
  for (const [path, bytes] of contents) {
    if (found.get(path)?.equals(bytes) === true) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}

/** The objects that the problems name. */
export function named({ problems }: VerifyReport): string[] {
  return problems.flatMap(({ objects }) => objects);
}

export function kinds({ problems }: VerifyReport): string[] {
  return problems.map(({ kind }) => kind);
}
