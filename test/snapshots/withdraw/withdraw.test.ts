import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { currentOf } from '../../../snapshots/log/history.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { INPUTS, historiesPrefix, snapshotPrefix, workspacePrefix } from '../../../snapshots/layout.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import type { Keep, PruneOptions } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import type { WithdrawOptions } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { copyOf, newSigner, placeOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishHistory, publishWeek } from '../publish.ts';
import { documentOf, kindsOf, otherId, verified, workspaceId } from '../verify/audited.ts';

const unknownId = '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09';
let whole: Place;
let ids: string[];
let place: Place;
beforeAll(async () => {
  whole = placeOf(await newSigner());
  ids = await publishHistory(whole);
});
beforeEach(() => {
  place = copyOf(whole);
});

const keys = () => [...place.objects.store.keys()];
const problems = async (at = place) => (await verified(at)).problems;
const objectsOf = (id: string) => keys().filter((key) => key.startsWith(snapshotPrefix(workspaceId, id)));
const notesOf = async (kind: string) => (await verified(place)).notes.filter((note) => note.kind === kind);

function deleteOf(part: string): void {
  for (const key of keys()) if (key.includes(part)) place.objects.store.delete(key);
}

async function currentId(at = place): Promise<string | undefined> {
  const view = (await readLog(at.store, at))!;
  return currentOf((await readHistory(at.store, view, workspaceId))!)?.snapshotId;
}

const prune = async (options: Partial<PruneOptions> = {}) =>
  await pruneSnapshots(place, { workspaceId, keep: [{ newest: 1 }], isDryRun: false, ...options });
const pruneAll = async (options: Partial<PruneOptions> = {}) =>
  (await prune({ workspaceId: undefined, ...options })).map((pruned) => [
    pruned.workspaceId,
    pruned.snapshots.length,
    pruned.refused,
  ]);

describe('prune', () => {
  test.each<[string, Keep[], number[]]>([
    ['the newest two', [{ newest: 2 }], [2, 3]],
    ['the one that was current on a day, and the current one', [{ date: '2026-11-05' }], [1, 3]],
    ['the snapshots of any rule', [{ newest: 2 }, { date: '2026-10-26' }], [0, 2, 3]],
  ])('keeps %s', async (_, keep, kept) => {
    await prune({ keep });
    // A manifest stays.
    expect(ids.map((id) => objectsOf(id).length)).toEqual(ids.map((_id, at) => (kept.includes(at) ? 18 : 1)));
    expect(await problems()).toEqual([]);
    expect(await notesOf('pruned')).toHaveLength(4 - kept.length);
  });

  test('keeps the current snapshot of every workspace, also if it is not of the newest week', async () => {
    // As of an earlier week, and published last: it is current, and no rule keeps it.
    const current = await publishWeek(place, workspaceId, '2026-10-19');
    expect(await pruneAll()).toMatchObject([{ 1: 3 }, { 1: 3 }]);
    expect(await pruneAll({ keep: [] })).toMatchObject([{ 1: 1 }, { 1: 0 }]);
    expect(await currentId()).toBe(current);
    for (const [id, week] of [
      [workspaceId, '20261019'],
      [otherId, '20261116'],
    ])
      expect(keys().filter((key) => key.includes(`${id}/snapshots/${week}`))).toHaveLength(18);
    expect(await problems()).toEqual([]);
  });

  test('leaves out a workspace that does not verify or has no snapshot of a day, and prunes the others', async () => {
    await publishWeek(place, unknownId, '2026-11-16');
    const key = keys().find((each) => each.includes(otherId) && each.endsWith('brands.json'))!;
    place.objects.store.set(key, Buffer.from('altered')).set('stray.txt', Buffer.from('x'));
    expect(await pruneAll({ keep: [{ newest: 1 }, { date: '2026-10-27' }] })).toEqual([
      [workspaceId, 2, null],
      [unknownId, 0, expect.stringMatching(/had no snapshot on 2026-10-27/)],
      [otherId, 0, expect.stringContaining(`it does not verify: ${key}: `)],
    ]);
    expect(kindsOf(await problems())).toEqual(['altered', 'extra']);
    expect((await notesOf('pruned')).map((note) => note.workspaceId)).toEqual([workspaceId, workspaceId]);
  });

  test('prunes nothing if the log does not verify', async () => {
    place.objects.store.set(
      keys().findLast((key) => key.startsWith('log/tile/0/'))!,
      Buffer.from('x'),
    );
    const refused = expect.stringMatching(/log\/tile/) as string;
    expect((await pruneAll()).map((each) => each.slice(1))).toEqual([
      [0, refused],
      [0, refused],
    ]);
  });

  test('is never taken for damage by a verification that runs meanwhile', async () => {
    let left = 4;
    const slow = interposedStore(place.store, {
      async before({ method, key }) {
        if (method !== 'list' || key !== '' || left === 1) return;
        left -= 1;
        await prune({ keep: [{ newest: left }] });
      },
    });
    expect([await problems({ ...place, store: slow }), left]).toEqual([[], 1]);
  });
});

const withdraw = async (which: WithdrawOptions['which'], reason: WithdrawOptions['reason']) =>
  (await withdrawSnapshots(place, { workspaceId, which, reason })).snapshotIds;
const one = (reference: string) => ({ reference });

describe('withdrawn as lost', () => {
  test('is refused while everything is there, in the log and in the store, and for what the log does not have', async () => {
    await expect(withdraw(one('2020-01-01'), 'mistaken')).rejects.toThrow(/has no snapshot 2020-01-01/);
    await prune({ keep: [{ newest: 3 }] });
    const before = copyOf(place).objects;
    for (const id of [ids[3]!, ids[0]!])
      await expect(withdraw(one(id), 'lost')).rejects.toThrow(/it is not lost/);
    expect(await withdraw('lost', 'lost')).toEqual([]);
    expect(place.objects).toEqual(before);
  });

  test('is a note in place of the problem, for one or all without a document, a manifest or their list of inputs', async () => {
    place.objects.store.delete(documentOf(workspaceId, ids[1]!));
    deleteOf(keys().find((key) => key.includes(ids[3]!) && key.endsWith('.manifest.json'))!);
    expect((await verified(place)).isIntact).toBe(false);
    expect(await withdraw('lost', 'lost')).toEqual([ids[1], ids[3]]);
    expect([await problems(), await currentId()]).toEqual([[], ids[2]]);
    expect(await notesOf('lost')).toMatchObject([{ snapshotId: ids[1] }, { snapshotId: ids[3] }]);
    await expect(withdraw(one(ids[3]!), 'lost')).rejects.toThrow(/was withdrawn before: lost/);
    deleteOf(INPUTS);
    expect((await problems()).map((problem) => problem.workspaceId)).toEqual([workspaceId, otherId]);
    expect(await withdraw(one('2026-11-09'), 'lost')).toEqual([ids[2]]);
    expect(await withdraw('lost', 'lost')).toEqual([ids[0]]);
    expect((await problems()).map((problem) => problem.workspaceId)).toEqual([otherId]);
  });

  test('is refused if nothing of the workspace can be read: the store may be away', async () => {
    deleteOf(`${workspacePrefix(workspaceId)}snapshots/`);
    for (const which of ['lost', one(ids[3]!)] as const)
      await expect(withdraw(which, 'lost')).rejects.toThrow(
        /nothing of workspace .* can be read .*is the store mounted/,
      );
  });
});

test('withdrawn as mistaken, the one before is current again; everything stays, and its id is never published again', async () => {
  expect(await withdraw(one('current'), 'mistaken')).toEqual([ids[3]]);
  expect(await currentId()).toBe(ids[2]);
  expect(keys()).toEqual(
    expect.arrayContaining([...whole.objects.store.keys()].filter((key) => key.includes('/snapshots/'))),
  );
  expect(await notesOf('mistaken')).toMatchObject([{ snapshotId: ids[3] }]);
  await expect(publishWeek(place, workspaceId, '2026-11-16')).rejects.toThrow(/was withdrawn: mistaken/);
  place.objects.store.delete(documentOf(workspaceId, ids[3]!));
  expect(kindsOf(await problems())).toEqual(['missing']);
});

describe('withdrawn as removed', () => {
  test('everything of a workspace goes but its newest history, also what killed publications left', async () => {
    const left = [
      `${workspacePrefix(workspaceId)}snapshots/20270101T000000.000Z-0123456789abcdef/brands.json`,
      `${historiesPrefix(workspaceId)}${'0'.repeat(64)}.json`,
    ];
    for (const key of left) place.objects.store.set(key, Buffer.from('left'));
    expect(await withdraw('all', 'removed')).toEqual(ids);
    expect(keys().filter((key) => key.startsWith(workspacePrefix(workspaceId)))).toEqual([
      expect.stringMatching(new RegExp(`^${historiesPrefix(workspaceId)}(?!0{64})`)),
    ]);
    expect(await problems()).toEqual([]);
    expect((await notesOf('removed')).map(({ snapshotId }) => snapshotId)).toEqual(ids);
    expect(await currentId()).toBeUndefined();
    expect(await withdraw('all', 'removed')).toEqual([]);
  });

  test('a history stays that a publication is about to name', async () => {
    let isPublished = false;
    const store = interposedStore(place.store, {
      async before({ method }) {
        if (method !== 'delete' || isPublished) return;
        isPublished = true;
        await publishWeek(place, workspaceId, '2026-11-23');
      },
    });
    await withdrawSnapshots({ ...place, store }, { workspaceId, which: 'all', reason: 'removed' });
    expect(await problems()).toEqual([]);
    expect(await currentId()).toMatch(/^20261123/);
  });
});
