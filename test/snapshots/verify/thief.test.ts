import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY, snapshotPrefix } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import type { ProblemKind } from '../../../snapshots/verify/findings.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { copyOf, newSigner, placeOf, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import { auditedPlace, entriesIn, kindsOf, otherId, verified, workspaceId, writeLog } from './audited.ts';
import type { Audited } from './audited.ts';

let audited: Audited;
/** The place, and what it was before the last commit. */
let place: Place;
let older: Place;
let thief: Signer;
beforeAll(async () => {
  audited = await auditedPlace();
  thief = await newSigner();
  older = audited.place;
  place = copyOf(older);
  await publishWeek(place, workspaceId, '2026-11-23');
});

/** What a reader says, and what verify finds: of those that start, and of those that kept the newest checkpoint. */
interface Notices {
  reader: RegExp | null;
  readerThatFollows: RegExp | null;
  verify: ProblemKind[];
  verifyWithState: ProblemKind[];
}

const UNSIGNED = /not signed with a trusted key/;
const unsigned: Notices = {
  reader: UNSIGNED,
  readerThatFollows: UNSIGNED,
  verify: ['log_unsigned'],
  verifyWithState: ['log_unsigned'],
};
/** Only a checkpoint that was kept shows it. */
const deceivesWhoStarts = (readerThatFollows: RegExp): Notices => ({
  reader: null,
  readerThatFollows,
  verify: [],
  verifyWithState: ['log_rewritten'],
});

/** By name: what an attacker does to the store of a log, and who notices. */
const attacks: [string, (copy: Place) => Promise<void> | void, Notices][] = [
  [
    'no signature of the log',
    ({ objects }) => {
      const text = objects.store.get(CHECKPOINT_KEY)!.toString().replace('— sightline', '— xsightline');
      objects.store.set(CHECKPOINT_KEY, Buffer.from(text));
    },
    unsigned,
  ],
  [
    'the same entries, signed with another key',
    async (copy) => writeLog(copy, await entriesIn(copy), thief),
    unsigned,
  ],
  [
    'more entries, signed with another key',
    async (copy) => {
      const entries = await entriesIn(copy);
      writeLog(copy, [...entries, entries.at(-1)!], thief);
    },
    unsigned,
  ],
  [
    'another name',
    async (copy) => {
      const other = { ...placeOf(copy.signer), origin: 'other.example/log' };
      await publishWeek(other, workspaceId, '2026-11-16');
      putBack(copy, other);
    },
    {
      reader: /is of the log other\.example\/log, and LOG_ORIGIN is/,
      readerThatFollows: /is of the log other\.example\/log/,
      verify: ['log_rewritten'],
      verifyWithState: ['log_rewritten'],
    },
  ],
  [
    'a checkpoint that is none',
    ({ objects }) => void objects.store.set(CHECKPOINT_KEY, Buffer.from('x')),
    {
      reader: /is not a signed note/,
      readerThatFollows: /is not a signed note/,
      verify: ['log_damaged'],
      verifyWithState: ['log_damaged'],
    },
  ],
  [
    'no checkpoint',
    ({ objects }) => void objects.store.delete(CHECKPOINT_KEY),
    {
      reader: null,
      readerThatFollows: /checkpoint is missing/,
      verify: ['log_missing'],
      verifyWithState: ['log_missing'],
    },
  ],
  [
    'an older state',
    (copy) => putBack(copy, older),
    deceivesWhoStarts(/\d+ entries, and had \d+ before: an older/),
  ],
  [
    'as many other entries, signed with the stolen key,',
    async (copy) => {
      const branch = copyOf(older);
      await publishWeek(branch, otherId, '2026-11-23');
      putBack(copy, branch);
    },
    deceivesWhoStarts(/has other entries than before: the log was rewritten/),
  ],
  [
    'more and other entries, signed with the stolen key,',
    async (copy) => {
      const branch = copyOf(older);
      for (const week of ['2026-11-23', '2026-11-30']) await publishWeek(branch, otherId, week);
      putBack(copy, branch);
    },
    deceivesWhoStarts(/do not lead to log\/checkpoint: the log was altered/),
  ],
  [
    'a last entry that is not heads, signed with the stolen key,',
    async (copy) => {
      const entries = await entriesIn(copy);
      const last = entries.findLast(({ kind }) => kind === 'published')!;
      writeLog(copy, [...entries, last], copy.signer);
    },
    {
      reader: /does not end with heads/,
      readerThatFollows: null,
      verify: ['log_damaged'],
      verifyWithState: ['log_damaged'],
    },
  ],
];

describe('a store with', () => {
  test.each(attacks)('%s is judged by what somebody knows', async (_, attack, notices) => {
    const known = (await readLog(place.store, place))!;
    const kept = [{ head: known.checkpoint, name: 'kept' }];
    const copy = copyOf(place);
    await attack(copy);
    const complaint = async (before: typeof known | null) =>
      await readLog(copy.store, copy, before).then(() => '', String);
    expect(await complaint(null)).toMatch(notices.reader ?? /^$/);
    expect(await complaint(known)).toMatch(notices.readerThatFollows ?? /^$/);
    expect(kindsOf((await verified(copy)).problems)).toEqual(notices.verify);
    expect(kindsOf((await verified(copy, { kept })).problems)).toEqual(notices.verifyWithState);
  });
});

test('whoever has no key cannot declare that documents were withdrawn', async () => {
  const copy = { ...copyOf(place), signer: thief };
  const prune = pruneSnapshots(copy, { keep: [{ newest: 1 }], isDryRun: false });
  await expect(prune).rejects.toThrow(/the log is signed with the key/);
  for (const key of copy.objects.store.keys())
    if (key.startsWith(snapshotPrefix(workspaceId, audited.ids[1]!)) && /brands/.test(key))
      copy.objects.store.delete(key);
  expect(kindsOf((await verified(copy)).problems)).toEqual(['missing']);
});

describe('after rotations', () => {
  let rotated: Place;
  let keys: Signer[];
  beforeAll(async () => {
    keys = [place.signer, await newSigner(), await newSigner()];
    rotated = copyOf(place);
    for (const [index, week] of ['2026-11-30', '2026-12-07'].entries()) {
      await rotateLog(rotated, keys[index + 1]!);
      rotated = { ...rotated, signer: keys[index + 1]!, trust: keys[index + 1]!.trust };
      await publishWeek(rotated, workspaceId, week);
    }
  });

  test('a reader with only the new key finds all weeks intact', async () => {
    const { isIntact, checked } = await verified(rotated);
    expect([isIntact, checked.snapshots]).toEqual([true, 11]);
    for (const { trust } of keys.slice(0, 2))
      expect(kindsOf((await verified({ ...rotated, trust })).problems)).toEqual(['log_unsigned']);
  });

  test('nothing is believed that a thief signs with a retired key', async () => {
    const entries = await entriesIn(rotated);
    for (const retired of keys.slice(0, 2)) {
      const copy = { ...copyOf(rotated), trust: rotated.trust };
      writeLog(copy, entries, retired);
      expect(kindsOf((await verified(copy)).problems)).toEqual(['log_unsigned']);
      const publisher = { ...copy, signer: retired };
      await expect(publishWeek(publisher, workspaceId, '2026-12-14')).rejects.toThrow(/the log is signed/);
    }
  });

  test('a checkpoint that was kept before, signed with the old key, is continued', async () => {
    const head = (await readCheckpoint(place.store))!;
    expect((await verified(rotated, { kept: [{ head, name: 'of the old key' }] })).problems).toEqual([]);
    const another = { head: { ...head, root: Buffer.alloc(32) }, name: 'another' };
    expect(kindsOf((await verified(rotated, { kept: [another] })).problems)).toEqual(['log_rewritten']);
  });
});
