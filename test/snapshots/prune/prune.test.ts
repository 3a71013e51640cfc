import { rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { listSnapshots } from '../../../snapshots/audit/list.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import type { Keep, PruneOptions } from '../../../snapshots/prune/prune.ts';
import { resolveSnapshot } from '../../../snapshots/audit/select.ts';
import { readPublished } from '../../../snapshots/audit/show.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { snapshotPrefix, snapshotsPrefix, tombstoneKey } from '../../../snapshots/layout.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import {
  keysOf,
  makeTestKeys,
  publishHistory,
  publishSignedHistory,
  publishWeek,
  workspaceIds,
} from '../history.ts';
import type { Keys } from '../history.ts';

const [workspaceId] = workspaceIds;
const now = Date.parse('2026-11-20T00:00:00Z');
let root: string;
let folder: string;
let store: ObjectStore;
let own: Keys;
let ids: string[];

beforeEach(async () => {
  ({ root, folder, store, own, ids } = await publishSignedHistory(await temporaryFolder()));
});

async function prune(options: Partial<PruneOptions>) {
  const usual = { workspaceId, keep: [], signer: own.signer, trust: own.trust, now, isDryRun: false };
  return await pruneSnapshots(store, { ...usual, ...options });
}

const documentsOf = async (snapshotId: string) =>
  (await keysOf(store)).filter(
    (key) => key.startsWith(snapshotPrefix(workspaceId, snapshotId)) && /brands/.test(key),
  );

/** Prunes each workspace to one snapshot; returns the number of pruned snapshots. */
async function counts(options: Partial<PruneOptions>) {
  const pruned = await prune({ keep: [{ newest: 1 }], ...options });
  return pruned.map((of) => [of.workspaceId, of.snapshots.length]);
}

describe('prune', () => {
  test('in a dry run removes nothing, and reports what it would remove', async () => {
    const before = await keysOf(store);
    const would = await prune({ keep: [{ newest: 2 }], isDryRun: true });
    expect(would).toMatchObject([
      {
        workspaceId,
        snapshots: [
          { snapshotId: ids[1], asOf: '2026-11-02T06:00:00.000Z', documents: 13 },
          { snapshotId: ids[0] },
        ],
      },
    ]);
    expect(await keysOf(store)).toEqual(before);
  });

  test.each<[string, Keep[], number[]]>([
    ['the newest two', [{ newest: 2 }], [2, 3]],
    ['the one that was current on a day, and the current one', [{ date: '2026-11-05' }], [1, 3]],
    ['the snapshots of any rule', [{ newest: 2 }, { date: '2026-10-26' }], [0, 2, 3]],
    ['the current one in any case', [], [3]],
    ['everything, if there are fewer', [{ newest: 100 }], [0, 1, 2, 3]],
  ])('keeps %s', async (_, keep, kept) => {
    await prune({ keep });
    const left = await Promise.all(ids.map(async (id) => (await documentsOf(id)).length));
    expect(left).toEqual(ids.map((_id, index) => (kept.includes(index) ? 13 : 0)));
    const { isIntact, notes } = await verifyStore(store, { trust: own.trust });
    expect(isIntact).toBe(true);
    expect(notes.filter(({ kind }) => kind !== 'pruned')).toEqual([]);
  });

  test('prunes only the given workspace, or all', async () => {
    expect(await counts({})).toEqual([[workspaceId, 3]]);
    const [, other] = workspaceIds;
    expect(await counts({ workspaceId: undefined })).toEqual([
      [workspaceId, 0],
      [other, 3],
    ]);
    expect(await counts({ workspaceId: undefined })).toEqual([
      [workspaceId, 0],
      [other, 0],
    ]);
  });

  test('is shown by list and reported by show, and the job continues', async () => {
    await prune({ keep: [{ newest: 1 }] });
    const { snapshots: listed } = await listSnapshots(store, { workspaceId, trust: own.trust });
    expect(listed.map(({ isPruned }) => isPruned)).toEqual([false, true, true, true]);
    const { manifest } = await resolveSnapshot(store, workspaceId, ids[0]!);
    await expect(readPublished(store, manifest, 'brands.json')).rejects.toThrow(/were pruned/);
    await publishWeek(store, workspaceId, '2026-11-23', own.signer);
    const { isIntact, notes } = await verifyStore(store, { trust: own.trust });
    expect(isIntact).toBe(true);
    expect(notes.filter(({ kind }) => kind !== 'pruned')).toEqual([]);
  });

  test('refuses a workspace that does not verify, and removes nothing of it', async () => {
    const [document] = await documentsOf(ids[0]!);
    await writeFile(join(folder, document!), 'altered');
    const before = await keysOf(store);
    await expect(prune({ keep: [{ newest: 1 }] })).rejects.toThrow(/does not verify.*not the published ones/);
    expect(await keysOf(store)).toEqual(before);
  });

  test('removes nothing of any workspace if one of them does not verify', async () => {
    const prefix = `${snapshotsPrefix(workspaceIds[1])}${ids[0]!.slice(0, 8)}`;
    const document = (await keysOf(store)).find(
      (key) => key.startsWith(prefix) && key.endsWith('brands.json'),
    );
    await writeFile(join(folder, document!), 'altered');
    const before = await keysOf(store);
    await expect(prune({ keep: [{ newest: 1 }], workspaceId: undefined })).rejects.toThrow(
      /does not verify, and nothing of any workspace was removed/,
    );
    expect(await keysOf(store)).toEqual(before);
  });

  test('refuses to keep the snapshot of a day on which there was none', async () => {
    const before = await keysOf(store);
    await expect(prune({ keep: [{ newest: 1 }, { date: '2020-01-01' }] })).rejects.toThrow(
      /had no snapshot on 2020-01-01/,
    );
    expect(await keysOf(store)).toEqual(before);
  });

  test('in a dry run needs no private key', async () => {
    const would = await prune({ keep: [{ newest: 1 }], signer: undefined, isDryRun: true });
    expect(would[0]!.snapshots).toHaveLength(3);
  });

  test('refuses signed snapshots without a key, and a key that is not trusted', async () => {
    const before = await keysOf(store);
    await expect(prune({ keep: [{ newest: 1 }], signer: undefined })).rejects.toThrow(/SIGNING_KEY_FILE/);
    const { signer } = await makeTestKeys(root, 'other');
    await expect(prune({ keep: [{ newest: 1 }], signer })).rejects.toThrow(/not one of those to trust/);
    expect(await keysOf(store)).toEqual(before);
  });

  test('without public keys refuses a history that another key continued: its own signature must not confirm it', async () => {
    const { signer } = await makeTestKeys(root, 'other');
    await publishWeek(store, workspaceId, '2026-11-23', signer);
    const before = await keysOf(store);
    await expect(prune({ keep: [{ newest: 1 }], trust: null })).rejects.toThrow(
      /does not verify.*not trusted/,
    );
    expect(await keysOf(store)).toEqual(before);
  });

  test('without public keys prunes a history that its own key signed, or no key', async () => {
    await prune({ keep: [{ newest: 3 }], trust: null });
    expect(await documentsOf(ids[0]!)).toEqual([]);
    await rm(folder, { recursive: true });
    store = await publishHistory(folder);
    expect(await counts({ trust: null })).toEqual([[workspaceId, 3]]);
  });

  test('of one snapshot after the other is never taken for damage by a verification that runs meanwhile', async () => {
    for (const week of ['2026-11-23', '2026-11-30']) await publishWeek(store, workspaceId, week, own.signer);
    let left = 6;
    const slow = interposedStore(store, {
      async after({ method }) {
        if (method === 'list' && left > 1) await prune({ keep: [{ newest: (left -= 1) }] });
      },
    });
    const { problems } = await verifyStore(slow, { workspaceId, trust: own.trust });
    expect([problems, left]).toEqual([[], 1]);
  });

  test('killed after any step leaves a state that verify explains and another run completes', async () => {
    for (let steps = 0; ; steps++) {
      await rm(folder, { recursive: true });
      store = await publishHistory(folder, own.signer);
      const finished = await pruneUntil(steps);
      expect(await verifyStore(store, { trust: own.trust })).toMatchObject({ isIntact: true });
      await prune({ keep: [{ newest: 3 }], now: now + 1 });
      expect(await documentsOf(ids[0]!)).toEqual([]);
      expect(await verifyStore(store, { trust: own.trust })).toMatchObject({ isIntact: true });
      if (finished) break;
    }
  });

  test('documents that were removed without a tombstone that a trusted key signed are missing', async () => {
    await prune({ keep: [{ newest: 3 }] });
    await unlink(join(folder, tombstoneKey(workspaceId, ids[0]!)));
    const { problems } = await verifyStore(store, { trust: own.trust });
    expect(problems).toMatchObject([{ kind: 'missing', snapshotId: ids[0] }]);
  });
});

/** True if it completed before the given number of steps. */
async function pruneUntil(steps: number): Promise<boolean> {
  let left = steps;
  const step = () => {
    if (left-- === 0) throw new Error('killed');
  };
  const dying: ObjectStore = {
    ...store,
    create: async (key, bytes) => {
      step();
      return await store.create(key, bytes);
    },
    delete: async (key) => {
      step();
      await store.delete(key);
    },
  };
  const options = { workspaceId, keep: [{ newest: 3 }], signer: own.signer, trust: own.trust, now };
  try {
    await pruneSnapshots(dying, { ...options, isDryRun: false });
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'killed') return false;
    throw error;
  }
}
