import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import type { VerifyOptions } from '../../../snapshots/verify/report.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { copyOf, newSigner, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import {
  auditedPlace,
  documentOf,
  kindsOf,
  otherId,
  problemsAfter,
  verified,
  workspaceId,
} from './audited.ts';
import type { Audited } from './audited.ts';

const DAY = 86_400_000;
const now = Date.UTC(2026, 10, 30, 12);
let audited: Audited;
/** The place, and what it was two entries before. */
let place: Place;
let older: Place;

beforeAll(async () => {
  audited = await auditedPlace();
  older = audited.place;
  place = copyOf(older);
  await publishWeek(place, workspaceId, '2026-11-23');
});

const headOf = ({ objects }: Place) => parseCheckpoint(objects.store.get(CHECKPOINT_KEY)!, 'it');
const keptOf = (from: Place) => [{ head: headOf(from), name: 'kept' }];
const kinds = async (at: Place, options: Partial<VerifyOptions>) =>
  kindsOf((await verified(at, { now, ...options })).problems);

describe('a kept checkpoint', () => {
  test('is continued by the log, at any later time', async () => {
    for (const kept of [older, place]) expect(await kinds(place, { kept: keptOf(kept) })).toEqual([]);
  });

  test('finds an older state of the whole store that was put back, and none when the rest is there again', async () => {
    const copy = copyOf(place);
    putBack(copy, older);
    expect(await kinds(copy, {})).toEqual([]);
    expect(await kinds(copy, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    putBack(copy, place);
    expect(await kinds(copy, { kept: keptOf(place) })).toEqual([]);
  });

  test('finds a fork of equal, of smaller and of larger size, which the key signed', async () => {
    const fork = copyOf(older);
    await publishWeek(fork, otherId, '2026-11-23');
    expect(headOf(fork).size).toBe(headOf(place).size);
    expect(await kinds(fork, {})).toEqual([]);
    expect(await kinds(fork, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    await publishWeek(fork, otherId, '2026-11-30');
    expect(await kinds(fork, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    expect(await kinds(place, { kept: keptOf(fork) })).toEqual(['log_rewritten']);
  });

  test('of another log is a problem', async () => {
    const kept = [{ head: { ...headOf(place), origin: 'other.example/log' }, name: 'kept' }];
    expect(await kinds(place, { kept })).toEqual(['log_rewritten']);
  });

  test('is never skipped because the log is gone', async () => {
    const kept = [{ head: { origin: 'x', size: 1, root: Buffer.alloc(32) }, name: 'kept' }];
    const withoutLog = copyOf(place);
    for (const key of withoutLog.objects.store.keys())
      if (key.startsWith('log/')) withoutLog.objects.store.delete(key);
    for (const which of [{}, { workspaceId }, { select: () => ({ workspaceId, snapshotId: 'x' }) }])
      expect(await kinds(withoutLog, { kept, ...which })).toEqual(['log_missing']);
    withoutLog.objects.store.clear();
    expect(await kinds(withoutLog, { kept, allowEmpty: true })).toEqual(['log_missing']);
  });

  test('is compared although only one workspace, or one snapshot, is read', async () => {
    const snapshotId = audited.ids[3]!;
    for (const which of [{ workspaceId }, { select: () => ({ workspaceId, snapshotId }) }]) {
      expect(await kinds(older, { kept: keptOf(place), ...which })).toEqual(['log_rewritten']);
      const damage = (copy: Place) => copy.objects.store.delete(documentOf(otherId, audited.mistakenId));
      expect(await problemsAfter(place, (_, copy) => damage(copy), which)).toEqual([]);
    }
  });
});

test('an age that the newest publication may have is a limit, whatever else is appended', async () => {
  expect(await kinds(place, { notOlderThanMs: 9 * DAY, now: now + DAY })).toEqual([]);
  expect(await kinds(place, { notOlderThanMs: 9 * DAY, now: now + 3 * DAY })).toEqual(['log_old']);
  const copy = copyOf(place);
  const clock = { now: () => now + 3 * DAY };
  await rotateLog({ ...copy, clock }, await newSigner());
  expect(await kinds(copy, { notOlderThanMs: 9 * DAY, now: now + 3 * DAY })).toEqual(['log_old']);
});

test('an entry more than five minutes ahead of the clock is a problem', async () => {
  const newest = Date.parse((await verified(place, { now })).log!.newestEntryAt);
  expect(await kinds(place, { now: newest - 5 * 60_000 })).toEqual([]);
  expect(await kinds(place, { now: newest - 5 * 60_000 - 1 })).toEqual(['log_in_future']);
});

test('a withdrawal is a note from then on', async () => {
  const copy = copyOf(place);
  await withdrawSnapshots(copy, { workspaceId, which: 'all', reason: 'removed' });
  const { problems, notes } = await verified(copy);
  expect([problems, kindsOf(notes)]).toEqual([[], ['mistaken', 'removed']]);
});
