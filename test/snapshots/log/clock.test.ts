import { beforeEach, describe, expect, test } from 'vitest';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import { copyOf, newSigner, placeOf, publishAll } from './places.ts';
import type { Place } from './places.ts';

const start = Date.UTC(2026, 10, 16);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let place: Place;
beforeEach(async () => {
  place = at(placeOf(await newSigner()), start);
  await publishAll(place, 0, [0]);
});

const at = (of: Place, time: number): Place => ({ ...of, clock: { now: () => time }, acceptClock: false });

const commands: [string, (place: Place) => Promise<unknown>][] = [
  ['a publication', async (of) => await publishAll(of, 1, [0])],
  ['prune', async (of) => await pruneSnapshots(of, { keep: [{ newest: 1 }], isDryRun: false })],
  [
    'withdraw',
    async (of) =>
      await withdrawSnapshots(of, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' }),
  ],
  ['rotate', async (of) => await rotateLog(of, await newSigner())],
];

describe.each(commands)('%s', (_, command) => {
  test.each([
    ['more than five minutes behind the newest entry', -5 * MINUTE - 1],
    ['more than sixty days ahead of it', 60 * DAY + 1],
  ])('refuses a clock that is %s, and changes nothing', async (__, ms) => {
    const before = copyOf(place).objects;
    await expect(command(at(place, start + ms))).rejects.toThrow(
      /^the clock says .*, and the newest entry of the log is of .*--accept-clock$/,
    );
    expect(place.objects).toEqual(before);
    await command({ ...at(place, start + ms), acceptClock: true });
  });
});

test('a clock that is a little behind uses the time of the newest entry', async () => {
  await publishAll(at(place, start - 5 * MINUTE), 1, [0]);
  const view = (await readLog(place.store, place))!;
  const { publications } = (await readHistory(place.store, view, workspaceOf(0)))!;
  expect(publications.map(({ publishedAt }) => Date.parse(publishedAt))).toEqual([start, start]);
  await publishAll(at(place, start + 60 * DAY), 2, [0]);
  await expectComplete(place);
});
