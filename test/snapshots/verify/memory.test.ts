import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import type { VerifyOptions } from '../../../snapshots/verify/report.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { copyOf, newSigner } from '../log/places.ts';
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
