import { beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { CHECKPOINT_KEY, headsKey, historyKey, manifestKey } from '../../../snapshots/layout.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import {
  findUnpublished,
  removeUnpublished,
  whileDeleting,
} from '../../../snapshots/withdraw/unpublished.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { watched } from '../log/commands.ts';
import { expectComplete } from '../log/intact.ts';
import { workspaceOf } from '../log/entries.ts';
import { copyOf, newSigner, placeOf, publishAll, smallContent } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { verified } from '../verify/audited.ts';

const DAY = 86_400_000;
const hash = sha256('x');
/** What killed publications may have left. */
const leftovers = [
  headsKey(hash),
  historyKey(workspaceOf(0), hash),
  historyKey(workspaceOf(9), hash),
  manifestKey(workspaceOf(0), '20270101T000000.000Z-0123456789abcdef', hash),
].toSorted();

let place: Place;
beforeEach(async () => {
  place = placeOf(await newSigner());
  await publishAll(place, 0, [0, 1]);
  await publishAll(place, 1, [0]);
});

/** The same place, so much later. */
const after = (ms: number): Place => ({ ...place, clock: { now: () => place.clock.now() + ms } });

async function leave(): Promise<void> {
  for (const key of leftovers) await place.store.create(key, Buffer.from('left'));
}

test('what killed publications left is removed when it is older than a day, and nothing else is', async () => {
  const before = copyOf(place).objects.store;
  await leave();
  expect(await removeUnpublished(after(DAY - 1000))).toEqual([]);
  expect((await findUnpublished(after(DAY + 1000))).toSorted()).toEqual(leftovers);
  expect(await removeUnpublished(after(DAY + 1000))).toEqual(leftovers);
  expect(place.objects.store).toEqual(before);
  expect(await removeUnpublished(after(DAY + 1000))).toEqual([]);
  await expectComplete(place);
});

test('nothing is removed from a store that does not verify: it may be evidence', async () => {
  await leave();
  place.objects.store.set('stray.txt', Buffer.from('x'));
  await expect(removeUnpublished(after(2 * DAY))).rejects.toThrow(
    /does not verify, and nothing was removed: stray\.txt/,
  );
  expect([...place.objects.store.keys()]).toEqual(expect.arrayContaining(leftovers));
});

function dies({ method, key }: Operation): void {
  if (method === 'swap' && key.endsWith('committed.json')) throw new Error('died');
}

test('nothing that is published is removed, whatever head the store shows', async () => {
  await expect(publishAll(watched(place, { after: dies }), 2, [0, 1])).rejects.toThrow('died');
  await expect(findUnpublished(after(2 * DAY))).rejects.toThrow(/does not show all that lake remembers/);
  expect(await removeUnpublished(after(2 * DAY))).toEqual([]);
  await expectComplete(place);
  const older = copyOf(place).objects.store.get(CHECKPOINT_KEY)!;
  await publishAll(place, 3, [0, 1]);
  place.objects.store.set(CHECKPOINT_KEY, older);
  await expect(findUnpublished(after(2 * DAY))).rejects.toThrow(/does not show all that lake remembers/);
  expect(await removeUnpublished(after(2 * DAY))).toEqual([]);
  await expectComplete(place);
});

test('a removal that was given up does not end the next one', async () => {
  const later = after(2 * 60 * 60_000);
  const isRunning = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = whileDeleting(place, async () => {
    isRunning.resolve();
    await mayEnd.promise;
  });
  await isRunning.promise;
  await whileDeleting(later, async () => {
    mayEnd.resolve();
    await first;
    await expect(publishAll(later, 2, [0])).rejects.toThrow(/is running since/);
  });
  await publishAll(later, 2, [0]);
});

test('a publication during the removal is refused, and the next one works', async () => {
  await leave();
  const refusals: unknown[] = [];
  const slow = interposedStore(place.store, {
    async before({ method }) {
      if (method === 'delete' && refusals.length === 0)
        refusals.push(await publishAll(after(2 * DAY), 2, [0]).catch((error: unknown) => error));
    },
  });
  expect(await removeUnpublished({ ...after(2 * DAY), store: slow })).toEqual(leftovers);
  expect(String(refusals[0])).toMatch(/"audit prune --unpublished" is running since/);
  await publishAll(place, 2, [0]);
  await expectComplete(place);
});

test('a publication that began before finds that its objects were removed, and publishes nothing', async () => {
  const publisher = await openPublisher(place);
  await publisher.add(smallContent(1, 2), () => null);
  expect((await removeUnpublished(after(2 * DAY))).length).toBeGreaterThan(0);
  const [finished] = await publisher.finish();
  expect(String((finished!.outcome as { error: unknown }).error)).toMatch(
    /was deleted by "audit prune --unpublished" meanwhile; run the job again/,
  );
  expect((await verified(place)).problems).toEqual([]);
  await publishAll(place, 2, [1]);
  await expectComplete(place);
});
