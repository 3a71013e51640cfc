import { beforeAll, expect, test } from 'vitest';
import { readLog } from '../../../snapshots/log/follow.ts';
import { copyOf, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import { auditedPlace, otherId, verified, workspaceId } from './audited.ts';

/** The place, and what it was before the last commit. */
let place: Place;
let older: Place;
beforeAll(async () => {
  older = (await auditedPlace()).place;
  place = copyOf(older);
  await publishWeek(place, workspaceId, '2026-11-23');
});

const branchOf = async (...weeks: string[]) => {
  const branch = copyOf(older);
  for (const week of weeks) await publishWeek(branch, otherId, week);
  return branch;
};

/** What a thief of the signing key puts in the place of the store; golden/state.txt has what the commands say. */
test.each<[string, () => Place | Promise<Place>, RegExp]>([
  ['an older state', () => older, /\d+ entries, and had \d+ before: an older/],
  ['other entries', () => branchOf('2026-11-23'), /has other entries than before/],
  ['a longer branch', () => branchOf('2026-11-23', '2026-11-30'), /the log was altered/],
])(
  '%s is accepted by readers that start, and refused by those that follow the log',
  async (_, attack, message) => {
    const known = (await readLog(place.store, place))!;
    const copy = copyOf(place);
    putBack(copy, await attack());
    expect((await verified(copy)).isIntact).toBe(true);
    expect(await readLog(copy.store, copy)).not.toBeNull();
    await expect(readLog(copy.store, copy, known)).rejects.toThrow(message);
  },
);
