import { beforeEach, expect, test } from 'vitest';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { currentOf } from '../../../snapshots/log/history.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { newSigner, placeOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishHistory, publishWeek } from '../publish.ts';
import { otherId, verified, workspaceId } from '../verify/audited.ts';

/* golden/prune.txt, golden/withdraw.txt and golden/removed.txt have what the commands do and print. */

let place: Place;
beforeEach(async () => {
  place = placeOf(await newSigner());
  await publishHistory(place);
});

const keys = () => [...place.objects.store.keys()];
const problems = async (at = place) => (await verified(at)).problems;

async function currentId(): Promise<string | undefined> {
  const view = (await readLog(place.store, place))!;
  return currentOf((await readHistory(place.store, view, workspaceId))!)?.snapshotId;
}

const prune = async (newest: number) =>
  await pruneSnapshots(place, { workspaceId, keep: [{ newest }], isDryRun: false });

test('prune keeps the current snapshot of every workspace, also if it is not of the newest week', async () => {
  // As of an earlier week, and published last: it is current, and no rule keeps it.
  const current = await publishWeek(place, workspaceId, '2026-10-19');
  expect(await prune(1)).toMatchObject([{ snapshots: { length: 3 } }]);
  expect(await pruneSnapshots(place, { keep: [], isDryRun: false })).toMatchObject([
    { snapshots: { length: 1 } },
    { snapshots: { length: 3 } },
  ]);
  expect(await currentId()).toBe(current);
  for (const [id, week] of [
    [workspaceId, '20261019'],
    [otherId, '20261116'],
  ])
    expect(keys().filter((key) => key.includes(`${id}/snapshots/${week}`))).toHaveLength(18);
  expect(await problems()).toEqual([]);
});

/** The place, of which something changes whenever its objects are listed. */
function changing(change: () => Promise<unknown>): Place {
  const before = async ({ method, key }: Operation) => {
    if (method === 'list' && key === '') await change();
  };
  return { ...place, store: interposedStore(place.store, { before }) };
}

test('prune is never taken for damage by a verification that runs meanwhile', async () => {
  let left = 4;
  const slow = changing(async () => left > 1 && (await prune((left -= 1))));
  expect([await problems(slow), left]).toEqual([[], 1]);
});

test('a verification of a damaged store that changes during each of five attempts has no verdict', async () => {
  place.objects.store.delete(keys().find((key) => key.endsWith('week.json'))!);
  let attempts = 0;
  const busy = changing(() => publishWeek(place, workspaceId, `2026-12-0${(attempts += 1)}`));
  await expect(problems(busy)).rejects.toThrow(/is being changed too often to verify; try again/);
  expect(attempts).toBe(5);
});

test.each([
  ['delete', /^$/],
  ['swap', /was published again meanwhile, and nothing was deleted/],
])('what is published after the first %s of a removal stays', async (moment, outcome) => {
  let isPublished = false;
  const store = interposedStore(place.store, {
    async after({ method }) {
      if (method !== moment || isPublished) return;
      isPublished = true;
      await publishWeek(place, workspaceId, '2026-11-23');
    },
  });
  const removal = withdrawSnapshots({ ...place, store }, { workspaceId, which: 'all', reason: 'removed' });
  expect(await removal.then(() => '', String)).toMatch(outcome);
  expect(await problems()).toEqual([]);
  expect(await currentId()).toMatch(/^20261123/);
});
