/** @module-tag long */
import { beforeAll, beforeEach, describe, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { restartLog } from '../../../snapshots/recover/adopt.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { ORIGIN } from '../publish.ts';
import { usualPlace } from './commands.ts';
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

  test.each([CHECKPOINT_KEY, 'another text'])(
    'goes on after the former checkpoint, or %s with its name, was put in place of its own',
    async (what) => {
      const former = place.objects.store.get(CHECKPOINT_KEY)!.toString();
      const text = what === CHECKPOINT_KEY ? former : former.replace(/\n\d+\n/, '\n3\n');
      const renamed = named(names[0], place);
      await restartLog(renamed, ORIGIN);
      place.objects.store.set(CHECKPOINT_KEY, Buffer.from(text));
      await publishAll(renamed, 2, [0]);
      await expectComplete(renamed);
    },
  );

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
      await restartLog(named(names[0], place), ORIGIN);
      await expectComplete(named(names[0], place));
    }
  });
});
