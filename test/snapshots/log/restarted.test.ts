/** @module-tag long */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { CHECKPOINT_KEY, cosignedKey, oldLogPrefix, timestampKey } from '../../../snapshots/layout.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { restartLog } from '../../../snapshots/recover/restart.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { ORIGIN } from '../publish.ts';
import { usualPlace } from './commands.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import { copyOf, newSigner, placeOf, publishAll } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let usual: Place;
let place: Place;
beforeAll(async () => {
  signer = await newSigner();
  usual = await usualPlace(signer);
});
beforeEach(() => {
  place = copyOf(usual);
});

const named = (origin: string, at: Place): Place => ({ ...at, origin });

describe('a log that is restarted', () => {
  const names = ['second.example/log', 'third.example/log', 'fourth.example/log'] as const;

  test('three times without a publication has all three former ones, and goes on', async () => {
    let from = ORIGIN;
    for (const origin of names) {
      await restartLog(named(origin, place), from);
      from = origin;
    }
    await expectComplete(named(from, place));
    await publishAll(named(from, place), 2, [0]);
    await expectComplete(named(from, place));
  });

  test.each([
    [CHECKPOINT_KEY, 'kept'],
    [CHECKPOINT_KEY, 'deleted'],
    ['another text', 'kept'],
  ])(
    'goes on after the former checkpoint, or %s with its name, was put in place of its own, the former log %s',
    async (what, then) => {
      const { store } = place.objects;
      const former = store.get(CHECKPOINT_KEY)!.toString();
      const text = what === CHECKPOINT_KEY ? former : former.replace(/\n\d+\n/, '\n3\n');
      const renamed = named(names[0], place);
      await restartLog(renamed, ORIGIN);
      store.set(CHECKPOINT_KEY, Buffer.from(text));
      if (then === 'deleted')
        for (const key of [...store.keys()].filter((each) => each.startsWith('log-old/'))) store.delete(key);
      await publishAll(renamed, 2, [0]);
      await expectComplete(renamed);
    },
  );

  test('has no stamps of the former log, which keeps them', async () => {
    const { checkpoint } = (await readCommitted(place.lake, ORIGIN))!;
    const { size } = checkpoint;
    const cosigned = cosignedKey(size, sha256(formatNote(checkpoint.note)));
    const stamps = [cosigned, timestampKey(size, 'https://authority.example')];
    for (const key of stamps) place.objects.store.set(key, Buffer.from(formatNote(checkpoint.note)));
    const renamed = named(names[0], place);
    await restartLog(renamed, ORIGIN);
    const { isIntact, notes } = await verifyStore(place.store, { identity: renamed, now: 0 });
    expect(isIntact).toBe(true);
    expect(notes.map(({ kind }) => kind)).not.toContain('time_stamp');
    for (const key of stamps)
      expect(place.objects.store.has(key.replace('log/', oldLogPrefix(checkpoint)))).toBe(true);
  });

  test('makes a publication fail that began under the former name', async () => {
    let began = false;
    const lake = interposedStore(place.lake, {
      before: async ({ method }) => {
        if (method !== 'swap' || began) return;
        began = true;
        await restartLog(named(names[0], place), ORIGIN);
      },
    });
    await expect(publishAll({ ...place, lake }, 2, [0])).rejects.toThrow(/goes on as second\.example/);
    expect(began).toBe(true);
    expect((await expectComplete(named(names[0], place))).get(workspaceOf(0))).toHaveLength(2);
  });

  test('and whose tiles are full, killed before each of its writes, goes on when it is run again', async () => {
    const large = placeOf(signer);
    for (let week = 0; week < 26; week += 1) await publishAll(large, week, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const dead = new Error('died');
    for (let step = 1, isDead = true; isDead; step += 9) {
      place = copyOf(large);
      let writes = 0;
      const before = ({ method }: { method: string }) => {
        if (['create', 'swap', 'delete'].includes(method) && (writes += 1) >= step) throw dead;
      };
      const dying = { ...named(names[0], place), store: interposedStore(place.store, { before }) };
      isDead = await restartLog(dying, ORIGIN).then(
        () => false,
        () => true,
      );
      const publishedFirst = named(names[0], copyOf(place));
      await restartLog(named(names[0], place), ORIGIN);
      await expectComplete(named(names[0], place));
      if ((await readCommitted(publishedFirst.lake, names[0])) === null) continue;
      await publishAll(publishedFirst, 30, [0]);
      await repairLog(publishedFirst);
      const options = { identity: publishedFirst, now: 0 };
      expect((await verifyStore(publishedFirst.store, options)).problems).toEqual([]);
    }
  });
});
