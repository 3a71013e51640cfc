/**
 * @module-tag long
 * @module-tag black-box
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answersIn, publish } from '../../../adapters/publish.ts';
import { filesBelow, testLake } from '../../lake.ts';
import { ids, mention, runId, sound, tracked } from '../../records.ts';

const days = ['2026-08-03', '2026-08-10', '2026-08-17', '2026-08-24'];
const run = (n: number, week: number, ran_at = `${days[week]!}T08:00:00Z`) =>
  sound.runs({ id: runId(n), cycle_date: days[week]!, ran_at, mentions: [mention()] });
const evening = (week: number) => `${days[week]!}T20:00:00Z`;

test('a run from the future is counted, and each week still goes on from the base of the week before', async () => {
  const { folder, lake, ingested } = await testLake();
  const store = join(folder, 'store');
  const basesThrough = async () =>
    (await filesBelow(join(lake, 'bases'))).flatMap(
      (path) => /through=([^/]+).*base\.json$/.exec(path)?.[1] ?? [],
    );
  const reports = [];
  for (const week of [0, 1, 2]) {
    // One of an old cycle, next to good runs; one of a cycle that is from the future itself.
    const ahead = [
      run(100, 0, '2026-12-01T00:00:00Z'),
      sound.runs({ id: runId(101), cycle_date: '2099-01-01', ran_at: '2099-01-01T00:00:00Z' }),
    ];
    await ingested({ ...tracked, 'runs.ndjson': [run(week, week), ...(week === 0 ? ahead : [])] }, days[0]);
    reports.push(await publish(lake, store, evening(week)));
    expect(await basesThrough()).toContain(days[week]);
  }
  expect(reports).toMatchObject([{ futureRuns: 2 }, { futureRuns: 2 }, { futureRuns: 2 }]);
  await ingested({ 'runs.ndjson': [run(3, 3)] });
  const later = '2026-12-02T00:00:00Z';
  // With the bases of the earlier weeks, and without any.
  expect((await publish(lake, store, later)).futureRuns).toBe(1);
  await publish(lake, join(folder, 'other'), later, { full: true });
  const answers = await answersIn(store, ids.workspace);
  expect(answers).toEqual(await answersIn(join(folder, 'other'), ids.workspace));
  expect(JSON.stringify(answers)).toContain('"cyclesObserved":4');
});
