import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { snapshotsPrefix } from '../../../snapshots/layout.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import { describeSnapshot } from '../../../snapshots/publish/write-snapshot.ts';
import { deleteBelow } from '../../../snapshots/read.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { publishSnapshot } from '../publish.ts';
import { verified } from '../verify/audited.ts';
import { expectComplete } from './intact.ts';
import { copyOf, newSigner, publishAll, smallContent, usualPlace, workspaceOf } from './places.ts';
import type { Place } from './places.ts';

let usual: Place;
let place: Place;
beforeAll(async () => {
  usual = await usualPlace(await newSigner());
});
beforeEach(() => {
  place = copyOf(usual);
});

async function publicationsOf(workspace: number) {
  const view = (await readLog(place.store, place))!;
  return (await readHistory(place.store, view, workspaceOf(workspace)))!.publications;
}

/** Deletes the objects of the second week of a workspace. */
const lose = async (workspace: number) =>
  await deleteBelow(place.store, `${snapshotsPrefix(workspaceOf(workspace))}20260112`, () => true);

/** The place, with a store that refuses an operation on keys with a prefix. */
function refusing(refused: string, prefix = ''): Place {
  const before = ({ method, key }: Operation) => {
    if (method === refused && key.startsWith(prefix)) throw new Failure('refused');
  };
  return { ...place, store: interposedStore(place.store, { before }) };
}

describe('a publication', () => {
  test('of what is published already writes nothing, unless another snapshot of its instant replaced it', async () => {
    for (const week of [0, 1])
      expect(await publishSnapshot(place, smallContent(0, week))).toMatchObject({ isNew: false });
    expect(place.objects).toEqual(usual.objects);
    await lose(0);
    await publishSnapshot(place, smallContent(0, 1)); // as an older copy of the store, in the place of the newer one
    expect(place.objects).toEqual(usual.objects);
    const documents = [{ path: 'brands.json', bytes: Buffer.from('{"data":"corrected"}') }];
    expect(await publishSnapshot(place, { ...smallContent(0, 1), documents })).toMatchObject({ isNew: true });
    await lose(1);
    const before = copyOf(place).objects;
    await expect(publishSnapshot(place, smallContent(0, 1))).rejects.toThrow(
      /was published before .*, and cannot be again/,
    );
    await expect(publishSnapshot(place, smallContent(1, 1))).rejects.toThrow(/was withdrawn: mistaken/);
    expect(place.objects).toEqual(before);
  });

  test('that loses a race asks for the objection again, and leaves no archive', async () => {
    const asked: (string | undefined)[] = [];
    const before = async ({ method }: Operation) => {
      if (method === 'swap' && asked.length === 2) await publishAll(place, 2, [2]);
    };
    const publisher = await openPublisher<string>({
      ...place,
      lake: interposedStore(place.lake, { before }),
    });
    await publisher.add(smallContent(2, 1), (current) =>
      asked.push(current?.snapshotId) < 3 ? null : 'there is a newer one',
    );
    expect(await publisher.finish()).toMatchObject([{ outcome: { objection: 'there is a newer one' } }]);
    const [older, newer] = (await publicationsOf(2)).map(({ snapshotId }) => snapshotId);
    expect(asked).toEqual([older, older, newer]);
    expect([...place.objects.lake.keys()].filter((key) => key.includes('/archive/'))).toHaveLength(4);
  });

  test('of a workspace that is removed meanwhile is refused, and a removal that is repeated harms none', async () => {
    const remove = async () =>
      await withdrawSnapshots(place, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' });
    const publisher = await openPublisher(place);
    await Promise.all([0, 7].map(async (number) => await publisher.add(smallContent(number, 2), () => null)));
    await remove();
    const [refused, published] = (await publisher.finish()).map(({ outcome }) => outcome);
    expect(String((refused as { error: Error }).error)).toMatch(/was removed meanwhile$/);
    expect(published).toMatchObject({ published: { isNew: true } });
    const again = await openPublisher(place);
    await again.add(smallContent(0, 3), () => null);
    await remove();
    expect(await again.finish()).toMatchObject([{ outcome: { published: { isNew: true } } }]);
    expect((await verified(place)).problems).toEqual([]);
  });

  test.each([
    [{}, 2],
    [{ workspaces: 2 }, 1],
    [{ bytes: 2 * describeSnapshot(smallContent(0, 2)).bytes.length }, 1],
  ])('that waits for others is committed after half a minute, or at the limit %j', async (limits, last) => {
    let time = place.clock.now();
    const publisher = await openPublisher({ ...place, clock: { now: () => time } }, limits);
    for (const [number, waited] of [0, 29_999, 1].entries()) {
      time += waited;
      await publisher.add(smallContent(number, 2), () => null);
      expect((await publicationsOf(0)).length).toBe(number < last ? 2 : 3);
    }
    expect(await publicationsOf(2)).toHaveLength(last);
  });

  test('refuses other bytes at the name of an object, with the remedy, and reports why a commit failed', async () => {
    const other = copyOf(usual);
    await publishAll(other, 2, [0]);
    const key = [...other.objects.store.keys()].find((each) => each.includes('/snapshots/20260119'))!;
    place.objects.store.set(key, Buffer.from('x'));
    await expect(publishAll(place, 2, [0])).rejects.toThrow(
      /does not have the expected bytes: repair it if "audit verify" names it .*, otherwise delete it/,
    );
    expect(place.objects.lake).toEqual(usual.objects.lake);
    await expect(publishAll(refusing('create', 'heads/'), 3, [0])).rejects.toThrow('refused');
  });

  test('drops histories and heads that were replaced a day ago, and no others', async () => {
    let time = place.clock.now();
    const store = memoryStore(place.objects.store, 'store', () => time);
    const aging = { ...place, store, clock: { now: () => time } };
    time += 1;
    await publishAll(aging, 2, [0]);
    const before = [...place.objects.store.keys()];
    time += 86_400_000; // exactly a day
    await publishAll(aging, 3, [0]);
    expect([...place.objects.store.keys()]).toEqual(expect.arrayContaining(before));
    time += 86_400_001;
    await publishAll(aging, 4, [0]);
    const left = (pattern: RegExp) => [...place.objects.store.keys()].filter((key) => pattern.test(key));
    expect(left(new RegExp(`${workspaceOf(0)}/histories/`))).toHaveLength(2);
    expect(left(new RegExp(`${workspaceOf(1)}/histories/`))).toHaveLength(3);
    expect(left(/^heads\//)).toHaveLength(2);
  });
});

test('a store that refuses deletions, as one with Object Lock does, is published to week after week', async () => {
  const clock = { now: () => place.clock.now() + 2 * 86_400_000 };
  for (const week of [2, 3]) await publishAll({ ...refusing('delete'), clock }, week, [0, 1]);
  await expectComplete(place);
});
