import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { publishSnapshot } from '../publish.ts';
import { usualPlace } from './commands.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import {
  copyOf,
  expectRefused,
  newSigner,
  placeOf,
  publishAll,
  putBack,
  smallContent,
  withdraw,
} from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let next: Signer;
let usual: Place;
beforeAll(async () => {
  [signer, next] = [await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
});

async function publicationsOf(place: Place, workspace: number) {
  const view = (await readLog(place.store, place))!;
  return (await readHistory(place.store, view, workspaceOf(workspace)))!.publications;
}

describe('a commit', () => {
  test('of what is published already writes nothing', async () => {
    const place = copyOf(usual);
    expect(await publishSnapshot(place, smallContent(0, 0))).toMatchObject({ isNew: false });
    expect(place.objects).toEqual(usual.objects);
    expect(await publishSnapshot(place, smallContent(0, 2))).toMatchObject({ isNew: true });
  });

  test.each(['mistaken', 'pruned', 'lost', 'removed'] as const)(
    'never publishes again what was withdrawn as %s',
    async (reason) => {
      const place = copyOf(usual);
      await withdraw(place, 0, reason);
      const before = copyOf(place);
      await expect(publishSnapshot(place, smallContent(0, 1))).rejects.toThrow(`was withdrawn: ${reason}`);
      expect(place.objects).toEqual(before.objects);
    },
  );

  test('asks for the objection again if another one was made meanwhile', async () => {
    const place = copyOf(usual);
    const asked: (string | undefined)[] = [];
    const publisher = await openPublisher<string>(place);
    await publisher.add(smallContent(2, 1), (current) => {
      asked.push(current?.snapshotId);
      return asked.length === 1 ? null : 'there is a newer one';
    });
    const [newer] = await publishAll(place, 2, [2]);
    const [finished] = await publisher.finish();
    expect(finished!.outcome).toEqual({ objection: 'there is a newer one' });
    expect(asked).toEqual([(await publicationsOf(place, 2))[0]!.snapshotId, newer]);
    expect(await publicationsOf(place, 2)).toHaveLength(2);
  });
});

describe('an older state of the store', () => {
  test('that is put back is recognised: nothing is published until the rest is back', async () => {
    const place = copyOf(usual);
    await publishAll(place, 2, [0, 1]);
    const newest = copyOf(place);
    putBack(place, usual);
    await expectRefused(
      place,
      /^store is an older copy: 5 objects .* are missing, the first is workspaces\/\S+20260119T\S+manifest\.json; nothing was published\. .*"audit log complete --from COPY"/,
    );
    for (const [key, bytes] of newest.objects.store)
      if (key !== CHECKPOINT_KEY) place.objects.store.set(key, bytes);
    await publishAll(place, 3, [0]);
    expect((await expectComplete(place)).get(workspaceOf(0))).toHaveLength(4);
  });

  test('without what was withdrawn as lost may be shown', async () => {
    const place = copyOf(usual);
    for (const workspace of [0, 1, 2]) await publishAll(place, 2, [workspace]);
    const older = copyOf(usual);
    for (const workspace of [0, 1, 2]) await withdraw(place, workspace, 'lost');
    const newest = copyOf(place);
    putBack(place, older);
    for (const [key, bytes] of newest.objects.store)
      if (/^heads\/|\/histories\//.test(key)) place.objects.store.set(key, bytes);
    await publishAll(place, 3, [0]);
    expect((await expectComplete(place)).get(workspaceOf(0))).toHaveLength(4);
  });
});

const causes =
  /is signed with our key .*: is the lake an older copy, does a second lake write to this store, or was the key stolen\?/;

describe('a store that is ahead of its lake', () => {
  test.each([1, 3])('by %d commits is refused with the three causes', async (commits) => {
    const place = copyOf(usual);
    for (let week = 2; week < 2 + commits; week += 1) await publishAll(place, week, [0]);
    await expectRefused({ ...place, ...lakeOf(usual, place) }, causes);
    await expect(repairLog({ ...place, ...lakeOf(usual, place) })).rejects.toThrow(causes);
  });

  test('and whose next key signed it is refused by a rotation to that key', async () => {
    const place = copyOf(usual);
    await rotateLog(place, next);
    await publishAll({ ...place, signer: next }, 2, [0]);
    const older = { ...place, ...lakeOf(usual, place) };
    const before = copyOf(place);
    await expect(rotateLog(older, next)).rejects.toThrow(causes);
    expect(place.objects.store).toEqual(before.objects.store);
  });
});

/** The lake of one place with the store of another. */
function lakeOf(lake: Place, store: Place): Pick<Place, 'lake' | 'objects'> {
  const objects = { store: store.objects.store, lake: new Map(lake.objects.lake) };
  return { lake: placeOf(signer, objects).lake, objects };
}
