import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import type { StoredCheckpoint } from '../../../snapshots/log/read.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { usualPlace } from './commands.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import { copyOf, expectRefused, newSigner, placeOf, publishAll, putBack } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let usual: Place;
beforeAll(async () => {
  signer = await newSigner();
  usual = await usualPlace(signer);
});

/** The store of a place, with a lake that remembers nothing. */
function withoutLake({ objects }: Place): Place {
  return placeOf(signer, { store: new Map(objects.store), lake: new Map() });
}

const checkpointOf = async ({ store }: Place) => (await readCheckpoint(store)) as StoredCheckpoint;
const keptOf = async (place: Place) => [{ head: await checkpointOf(place), name: 'kept.note' }];

const newer = async () => {
  const place = copyOf(usual);
  await publishAll(place, 2, [0]);
  return place;
};

describe('a lake that was lost', () => {
  test('makes publications refuse, until it remembers the log of the store again', async () => {
    const place = withoutLake(usual);
    await expectRefused(
      place,
      /^store has a log, but lake does not remember it.*"audit log complete --from-store"/,
    );
    await expect(repairLog(place)).rejects.toThrow(/remembers no log .*--from-store/);
    const { size, root } = await checkpointOf(place);
    expect(await adoptLog(place, await keptOf(usual))).toEqual({ size, root: root.toString('hex') });
    await publishAll(place, 2, [0, 7]);
    expect((await expectComplete(place)).get(workspaceOf(0))).toHaveLength(3);
    expect(await repairLog(place)).toMatchObject({ written: [] });
  });

  test('in part, does too', async () => {
    const place = copyOf(usual);
    await publishAll(place, 2, [0]);
    const older = placeOf(signer, { store: place.objects.store, lake: new Map(usual.objects.lake) });
    await adoptLog(older, []);
    await publishAll(older, 3, [0]);
    expect((await expectComplete(older)).get(workspaceOf(0))).toHaveLength(4);
  });

  test.each<[string, (place: Place) => Promise<Place | null>, RegExp]>([
    ['a kept checkpoint is newer', newer, /compared with kept\.note, has 9 entries, and had 11 before/],
    [
      'a kept checkpoint is of another branch',
      async (place) => {
        const branch = await newer();
        await publishAll(place, 4, [0, 1]);
        return branch;
      },
      /does not continue the 11 entries that were seen before/,
    ],
    [
      'there is no checkpoint',
      async (place) => (place.objects.store.delete(CHECKPOINT_KEY), null),
      /is missing/,
    ],
    [
      'an entry was altered',
      async ({ objects: { store } }) => {
        const key = [...store.keys()].findLast((each) => each.startsWith('log/tile/entries/'))!;
        store.set(
          key,
          Buffer.from(store.get(key)!.toString('latin1').replace('"sequence":1', '"sequence":2'), 'latin1'),
        );
        return null;
      },
      /do not lead to log\/checkpoint: the log was altered/,
    ],
    [
      'it is signed by another key',
      async (place) => {
        putBack(place, await usualPlace(await newSigner()));
        return null;
      },
      /is not signed with a trusted key/,
    ],
  ])('stays lost if %s', async (_, harm, message) => {
    const forgotten = copyOf(usual);
    const kept = await harm(forgotten);
    const place = withoutLake(forgotten);
    await expect(adoptLog(place, kept === null ? [] : await keptOf(kept))).rejects.toThrow(message);
    expect(place.objects.lake.size).toBe(0);
  });

  test('is not what a lake is that knows more than the store', async () => {
    const place = await newer();
    putBack(place, usual);
    await expect(adoptLog(place, [])).rejects.toThrow(
      /lake remembers 11 entries, and .* has 9: "audit log complete" without --from-store/,
    );
  });
});
