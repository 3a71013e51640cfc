/** @module-tag black-box */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answersIn, publish } from '../../adapters/publish.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, mention, runId, sound, tracked } from '../records.ts';

test('weekly publishes nothing from an object that is not what was ingested', async () => {
  const { folder, lake, ingested } = await testLake();
  await ingested({ ...tracked, 'runs.ndjson': [sound.runs()] });
  const store = join(folder, 'store');
  for (const kind of ['runs', 'tracking']) {
    const object = (await filesBelow(join(lake, kind))).at(-1)!;
    await appendFile(object, 'x');
    await expect(publish(lake, store, AS_OF)).rejects.toThrow(
      `${object} does not have the bytes that were ingested`,
    );
  }
  expect(await filesBelow(store)).toEqual([]);
});

const days = ['2026-08-03', '2026-08-10', '2026-08-17', '2026-08-24'];
const run = (n: number, week: number, ran_at = `${days[week]!}T08:00:00Z`) =>
  sound.runs({ id: runId(n), cycle_date: days[week]!, ran_at, mentions: [mention()] });

test('a run from the future is counted and left out, until its time has come', async () => {
  const { folder, lake, ingested } = await testLake();
  const store = join(folder, 'store');
  // One of an old cycle, next to good runs; two of a cycle that is from the future itself, one a day after the last snapshot.
  const later = ['2026-12-03T00:00:00Z', '2026-12-03T00:00:01Z'].map((ran_at, n) =>
    sound.runs({ id: runId(101 + n), cycle_date: '2026-12-07', ran_at }),
  );
  const ahead = [run(100, 0, '2026-12-01T00:00:00Z'), ...later];
  await ingested({ ...tracked, 'runs.ndjson': [run(0, 0), run(1, 1), run(2, 2), ...ahead] }, days[0]);
  expect((await publish(lake, store, `${days[2]!}T20:00:00Z`)).futureRuns).toBe(3);
  expect(JSON.stringify(await answersIn(store, ids.workspace))).toContain('"answers":2,');
  await ingested({ 'runs.ndjson': [run(3, 3)] });
  expect((await publish(lake, store, '2026-12-02T00:00:00Z')).futureRuns).toBe(1);
  expect(JSON.stringify(await answersIn(store, ids.workspace))).toContain('"cyclesObserved":4');
});
