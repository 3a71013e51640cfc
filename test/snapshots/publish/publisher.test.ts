import { beforeAll, describe, expect, test } from 'vitest';
import { readLog } from '../../../snapshots/log/follow.ts';
import { readEntries } from '../../../snapshots/log/read.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { verified } from '../verify/audited.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { usualPlace } from '../log/commands.ts';
import { workspaceOf } from '../log/entries.ts';
import { expectComplete } from '../log/intact.ts';
import { copyOf, newSigner, placeOf, publishAll, smallContent } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishSnapshot } from '../publish.ts';

let signer: Signer;
let usual: Place;
beforeAll(async () => {
  signer = await newSigner();
  usual = await usualPlace(signer);
});

/** The documents and the manifest that a killed publication of week 2 left. */
async function withLeftovers(): Promise<{ place: Place; left: string[] }> {
  const place = copyOf(usual);
  const dying = interposedStore(place.lake, {
    before({ method }) {
      if (method !== 'get') throw new Error('died');
    },
  });
  await expect(publishAll({ ...place, lake: dying }, 2, [0])).rejects.toThrow('died');
  const left = [...place.objects.store.keys()].filter((key) => !usual.objects.store.has(key));
  expect(left.filter((key) => key.includes('/snapshots/'))).toHaveLength(2);
  return { place, left };
}

describe('a publisher', () => {
  test('leaves out a workspace that was removed while it wrote, and publishes the others', async () => {
    const place = copyOf(usual);
    const publisher = await openPublisher(place);
    for (const number of [0, 1]) await publisher.add(smallContent(number, 2), () => null);
    await withdrawSnapshots(place, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' });
    const [refused, published] = (await publisher.finish()).map(({ outcome }) => outcome);
    expect(String((refused as { error: Error }).error)).toMatch(/was removed meanwhile$/);
    expect(published).toMatchObject({ published: { isNew: true } });
    expect((await verified(place)).problems).toEqual([]);
    await publishAll(place, 3, [0]);
    await expectComplete(place);
  });

  test('loses nothing to a removal that is repeated while it writes', async () => {
    const place = copyOf(usual);
    const remove = async () =>
      await withdrawSnapshots(place, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' });
    await remove();
    const publisher = await openPublisher(place);
    await publisher.add(smallContent(0, 2), () => null);
    expect(await remove()).toMatchObject({ snapshotIds: [] });
    expect(await publisher.finish()).toMatchObject([{ outcome: { published: { isNew: true } } }]);
    expect((await verified(place)).problems).toEqual([]);
  });

  test('takes a week again that later ones followed, but not one that another snapshot of its instant replaced', async () => {
    const place = copyOf(usual);
    const again = await publishSnapshot(place, smallContent(0, 0));
    expect(again).toMatchObject({ isNew: false });
    const newest = smallContent(0, 1);
    const corrected = {
      ...newest,
      documents: [{ path: 'brands.json', bytes: Buffer.from('{"data":"corrected"}') }],
    };
    expect(await publishSnapshot(place, newest)).toMatchObject({ isNew: false });
    expect(await publishSnapshot(place, corrected)).toMatchObject({ isNew: true });
    await expect(publishSnapshot(place, newest)).rejects.toThrow(
      /was published before .*, and cannot be again/,
    );
  });

  test('refuses a document whose name has other bytes, and names the repair', async () => {
    const { place, left } = await withLeftovers();
    for (const key of left.filter((each) => each.endsWith('brands.json')))
      place.objects.store.set(key, Buffer.from('x'));
    await expect(publishAll(place, 2, [0])).rejects.toThrow(
      /brands\.json does not have the expected bytes: .* otherwise delete it/,
    );
    expect(place.objects.lake).toEqual(usual.objects.lake);
  });

  test('commits many at once, in the order of workspaces, and the others beside one that fails', async () => {
    const place = placeOf(signer);
    const publisher = await openPublisher({ ...place, clock: { now: () => 0 } });
    const numbers = Array.from({ length: 1003 }, (_, number) => 1002 - number);
    for (const number of numbers) {
      const content = smallContent(number, 0);
      const documents = number === 500 ? [{ path: '../x', bytes: Buffer.from('x') }] : content.documents;
      await publisher.add({ ...content, documents }, () => null);
    }
    const outcomes = await publisher.finish();
    expect(outcomes.map(({ workspaceId }) => workspaceId)).toEqual(numbers.map(workspaceOf));
    expect(outcomes.filter(({ outcome }) => !('published' in outcome))).toMatchObject([
      { workspaceId: workspaceOf(500), outcome: { error: expect.any(Error) as Error } },
    ]);
    const { size } = (await readLog(place.store, place))!.checkpoint;
    const kinds = (await Array.fromAsync(readEntries(place.store, size))).map(({ entry }) => entry.kind);
    expect(kinds.flatMap((kind, index) => (kind === 'heads' ? [index] : []))).toEqual([1000, 1003]);
  });

  test('commits after half a minute what is ready, and looks at no snapshot again', async () => {
    const place = placeOf(signer);
    const looked: string[] = [];
    const store = interposedStore(place.store, {
      before: ({ method, key }) => void (/^(get|list)$/.test(method) && looked.push(key)),
    });
    let time = 0;
    const publisher = await openPublisher({ ...place, store, clock: { now: () => time } });
    for (const number of [0, 1, 2, 3]) {
      await publisher.add(smallContent(number, 0), () => null);
      time += 15_000;
    }
    expect((await readLog(place.store, place))!.heads.size).toBe(3);
    await publisher.finish();
    expect((await expectComplete(place)).size).toBe(4);
    expect(looked.filter((key) => /^inputs\/|\/snapshots\//.test(key))).toEqual([]);
  });

  test('drops histories and heads that were replaced a day ago, and no others', async () => {
    const place = copyOf(usual);
    let time = place.clock.now();
    const store = memoryStore(place.objects.store, 'store', () => time);
    const aging = { ...place, store, clock: { now: () => time } };
    time += 1;
    await publishAll(aging, 2, [0]);
    const before = [...place.objects.store.keys()];
    place.objects.store.set('heads/x/brands.json', Buffer.from('behind a link'));
    time += 86_300_000;
    await publishAll(aging, 3, [0]);
    expect([...place.objects.store.keys()]).toEqual(expect.arrayContaining(before));
    time += 86_500_000;
    await publishAll(aging, 4, [0]);
    await expectComplete(place);
    const histories = [...place.objects.store.keys()].filter((key) => key.includes('/histories/'));
    expect(histories.filter((key) => key.includes(workspaceOf(0)))).toHaveLength(2);
    expect(histories.filter((key) => key.includes(workspaceOf(1)))).toHaveLength(3);
    expect([...place.objects.store.keys()].filter((key) => key.startsWith('heads/'))).toHaveLength(3);
  });
});
