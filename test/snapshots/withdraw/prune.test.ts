/** @module-tag slow */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import type { Keep, PruneOptions } from '../../../snapshots/withdraw/prune.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { copyOf, newSigner, placeOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishHistory, publishWeek } from '../publish.ts';
import { documentOf, otherId, verified, workspaceId } from '../verify/audited.ts';

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

async function prune(options: Partial<PruneOptions> = {}) {
  const usual = { workspaceId, keep: [{ newest: 1 }], isDryRun: false };
  return await pruneSnapshots(place, { ...usual, ...options });
}

const documentsOf = (snapshotId: string) =>
  [...place.objects.store.keys()].filter(
    (key) => key.includes(snapshotId) && /snapshots.*(?:brands|week|tables)/.test(key),
  );
const keys = () => [...place.objects.store.keys()];
const countsOf = async (options: Partial<PruneOptions>) =>
  (await prune(options)).map((pruned) => [pruned.workspaceId, pruned.snapshots.length]);

describe('prune', () => {
  test('in a dry run removes and appends nothing, and reports what it would remove', async () => {
    const before = copyOf(place).objects;
    expect(await prune({ keep: [{ newest: 2 }], isDryRun: true })).toMatchObject([
      {
        workspaceId,
        refused: null,
        snapshots: [
          { snapshotId: ids[1], asOf: '2026-11-02T06:00:00.000Z', documents: 17 },
          { snapshotId: ids[0] },
        ],
      },
    ]);
    expect(place.objects).toEqual(before);
  });

  test.each<[string, Keep[], number[]]>([
    ['the newest two', [{ newest: 2 }], [2, 3]],
    ['the one that was current on a day, and the current one', [{ date: '2026-11-05' }], [1, 3]],
    ['the snapshots of any rule', [{ newest: 2 }, { date: '2026-10-26' }], [0, 2, 3]],
    ['the current one in any case', [], [3]],
    ['everything, if there are fewer', [{ newest: 100 }], [0, 1, 2, 3]],
  ])('keeps %s', async (_, keep, kept) => {
    await prune({ keep });
    expect(ids.map((id) => documentsOf(id).length)).toEqual(
      ids.map((_id, index) => (kept.includes(index) ? 17 : 0)),
    );
    const { problems, notes } = await verified(place);
    expect(problems).toEqual([]);
    expect(notes.filter(({ kind }) => kind === 'pruned')).toHaveLength(4 - kept.length);
  });

  test('prunes only the given workspace, or all', async () => {
    expect(await countsOf({})).toEqual([[workspaceId, 3]]);
    const all = { workspaceId: undefined };
    expect(await countsOf(all)).toEqual([
      [workspaceId, 0],
      [otherId, 3],
    ]);
    await expect(prune({ workspaceId: '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09' })).rejects.toThrow(
      /has no snapshot/,
    );
  });

  test.each([
    [workspaceId, otherId],
    [otherId, workspaceId],
  ])('leaves out %s, which does not verify, and prunes the other', async (broken, sound) => {
    const key = keys().find((each) => each.includes(broken) && each.endsWith('brands.json'))!;
    place.objects.store.set(key, Buffer.from('altered'));
    const result = await prune({ workspaceId: undefined });
    expect(result.find((each) => each.workspaceId === broken)).toMatchObject({
      snapshots: [],
      refused: `it does not verify: ${key}: ${(await verified(place)).problems[0]!.message}`,
    });
    expect(result.find((each) => each.workspaceId === sound)).toMatchObject({ refused: null });
    const { problems, notes } = await verified(place);
    expect(problems).toMatchObject([{ kind: 'altered', workspaceId: broken }]);
    expect(notes.filter(({ kind }) => kind === 'pruned').map((note) => note.workspaceId)).toEqual([
      sound,
      sound,
      sound,
    ]);
  });

  test('prunes nothing if the log does not verify, and all in spite of a stray object', async () => {
    place.objects.store.set('stray.txt', Buffer.from('x'));
    const copy = copyOf(place);
    const tile = keys().findLast((key) => key.startsWith('log/tile/0/'))!;
    place.objects.store.set(tile, Buffer.from('x'));
    for (const { refused } of await prune({ workspaceId: undefined })) expect(refused).toMatch(/log\/tile/);
    place = copy;
    expect(await countsOf({ workspaceId: undefined })).toEqual([
      [workspaceId, 3],
      [otherId, 3],
    ]);
  });

  test('refuses to keep the snapshot of a day on which there was none, and prunes other workspaces', async () => {
    await publishWeek(place, '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09', '2026-11-16');
    const result = await prune({ workspaceId: undefined, keep: [{ newest: 1 }, { date: '2026-10-27' }] });
    expect(result.map(({ refused }) => refused)).toEqual([
      null,
      expect.stringMatching(/had no snapshot on 2026-10-27/),
      null,
    ]);
  });

  test('of one snapshot after the other is never taken for damage by a verification that runs meanwhile', async () => {
    let left = 4;
    const slow = interposedStore(place.store, {
      async before({ method, key }) {
        if (method !== 'list' || key !== '' || left === 1) return;
        left -= 1;
        await prune({ keep: [{ newest: left }] });
      },
    });
    const { problems } = await verified({ ...place, store: slow });
    expect([problems, left]).toEqual([[], 1]);
  });
});

test('the document of a pruned snapshot that is left is a note that says what to do', async () => {
  await prune();
  place.objects.store.set(
    documentOf(workspaceId, ids[0]!),
    whole.objects.store.get(documentOf(workspaceId, ids[0]!))!,
  );
  const { problems, notes } = await verified(place);
  expect(problems).toEqual([]);
  expect(notes.filter(({ kind }) => kind === 'deletion_unfinished')).toMatchObject([{ snapshotId: ids[0] }]);
});
