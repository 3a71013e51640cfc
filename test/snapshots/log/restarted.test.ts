/** @module-tag long */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import {
  CHECKPOINT_KEY,
  committedKey,
  cosignedKey,
  oldLogPrefix,
  timestampKey,
} from '../../../snapshots/layout.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { restartLog } from '../../../snapshots/recover/restart.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { ORIGIN } from '../publish.ts';
import { replyAbout } from '../verify/audited.ts';
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
    place.objects.store.set(cosigned, Buffer.from(formatNote(checkpoint.note)));
    place.objects.store.set(stamps[1]!, replyAbout(checkpoint.note.text));
    const renamed = named(names[0], place);
    await restartLog(renamed, ORIGIN);
    const { isIntact, notes } = await verifyStore(place.store, { identity: renamed, now: 0 });
    expect(isIntact).toBe(true);
    expect(notes.map(({ kind }) => kind)).not.toContain('time_stamp');
    for (const key of stamps)
      expect(place.objects.store.has(key.replace('log/', oldLogPrefix(checkpoint)))).toBe(true);
  });

  test('may have stamps of its own, also if it was restarted twice', async () => {
    await restartLog(named(names[0], place), ORIGIN);
    await publishAll(named(names[0], place), 2, [0]);
    const again = named(names[1], place);
    await restartLog(again, names[0]);
    const { size, note } = (await readCommitted(place.lake, names[1]))!.checkpoint;
    const copy = formatNote(note);
    place.objects.store.set(cosignedKey(size, sha256(copy)), Buffer.from(copy));
    place.objects.store.set(timestampKey(size, 'https://authority.example'), replyAbout(note.text));
    const { problems, notes } = await verifyStore(place.store, { identity: again, now: 0 });
    expect(problems).toEqual([]);
    expect(notes.map(({ kind }) => kind)).toContain('time_stamp');
  });

  test('goes on after the checkpoint before the last two names was put back', async () => {
    const first = place.objects.store.get(CHECKPOINT_KEY)!;
    await restartLog(named(names[0], place), ORIGIN);
    const again = named(names[1], place);
    await restartLog(again, names[0]);
    place.objects.store.set(CHECKPOINT_KEY, first);
    await publishAll(again, 2, [0]);
    await expectComplete(again);
  });

  test('is repaired, but not published to, over a checkpoint of another log of the same key', async () => {
    const other = placeOf(signer);
    await publishAll(named('other.example/log', other), 0, [0]);
    place.objects.store.set(CHECKPOINT_KEY, other.objects.store.get(CHECKPOINT_KEY)!);
    await expect(publishAll(place, 2, [0])).rejects.toThrow(/has the log other\.example/);
    await repairLog(place);
    await publishAll(place, 2, [0]);
    await expectComplete(place);
  });

  test('is not hidden by a publication that was committed before, and goes on after', async () => {
    const next = await newSigner();
    const renamed: Place = { ...named(names[0], place), signer: next, trust: next.trust };
    let isRestarted = false;
    const lake = interposedStore(place.lake, {
      after: async ({ method, key }) => {
        if (method !== 'swap' || key !== committedKey(ORIGIN) || isRestarted) return;
        isRestarted = true;
        await restartLog(renamed, ORIGIN);
      },
    });
    await publishAll({ ...place, lake }, 2, [0]);
    expect((await expectComplete(renamed)).get(workspaceOf(0))).toHaveLength(3);
    expect((await verifyStore(place.store, { identity: renamed, now: 0 })).problems).toEqual([]);
  });

  test('stays closed under the former name if the lake learns that log from the store again', async () => {
    const died = new Error('died');
    const before = ({ method }: { method: string }) => {
      if (method === 'create') throw died;
    };
    const dying = { ...named(names[0], place), store: interposedStore(place.store, { before }) };
    await expect(restartLog(dying, ORIGIN)).rejects.toThrow('died');
    await adoptLog(place, []);
    await expect(publishAll(place, 2, [0])).rejects.toThrow(/goes on as second\.example/);
  });

  test('cannot be restarted by a former name, nor under one that the lake remembers', async () => {
    await restartLog(named(names[0], place), ORIGIN);
    await expect(restartLog(named(names[1], place), ORIGIN)).rejects.toThrow(
      /goes on as second\.example\/log, which LOG_ORIGIN must be/,
    );
    await expect(restartLog(named(ORIGIN, place), names[0])).rejects.toThrow(
      /remembers a log .*, which does not continue second\.example/,
    );
    expect((await readCommitted(place.lake, names[1])) ?? 'unknown').toBe('unknown');
    await publishAll(named(names[0], place), 2, [0]);
  });

  test('is still open if its archive is damaged, so that the restart failed', async () => {
    for (const key of place.objects.lake.keys())
      if (key.includes('/archive/')) place.objects.lake.delete(key);
    await expect(restartLog(named(names[0], place), ORIGIN)).rejects.toThrow(/is missing/);
    await publishAll(place, 2, [0]);
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
