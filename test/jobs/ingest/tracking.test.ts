/** @module-tag black-box */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deliver } from '../../adapters/deliver.ts';
import { testLake } from '../lake.ts';
import { ids, runId, sound, tracked, writeDrop } from '../records.ts';

const runs = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => sound.runs({ id: runId(from + n) }));

test('ingests at the same time lose nothing and take nothing twice', async () => {
  const { folder, lake, answers } = await testLake();
  const drops = await Promise.all(
    [1, 2, 3].map((n) =>
      writeDrop(join(folder, `at-once-${n}`), {
        ...(n === 1 ? tracked : {}),
        'runs.ndjson': [...runs(1000, 50), ...runs(n * 100, 20), '{'],
      }),
    ),
  );
  const reports = await Promise.all(drops.map((drop) => deliver(lake, { folder: drop, date: '2026-11-16' })));
  expect(new Set(reports.map(({ delivery }) => delivery))).toEqual(new Set([1, 2, 3]));
  const files = reports.flatMap((report) => report.files.filter(({ kind }) => kind === 'runs'));
  expect(files.map(({ ingested }) => ingested).toSorted((a, b) => a - b)).toEqual([20, 20, 70]);
  expect(files.map(({ repeated }) => repeated).toSorted((a, b) => a - b)).toEqual([0, 50, 50]);
  expect((await answers())[ids.brand]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
  });
});

const named = (name: string) => ({ 'brands.ndjson': [sound.brands({ name })] });

test('the tracking set is the newest one dated on or before the day of the snapshot, whatever the order of delivery', async () => {
  const { ingested, brandNames } = await testLake();
  await ingested({ ...tracked, ...named('of the 16th') }, '2026-11-16');
  await ingested(named('of the 17th'), '2026-11-17');
  await ingested({ ...tracked, ...named('of the 9th') }, '2026-11-09');
  expect(await brandNames('2026-11-17T00:00:00Z')).toEqual(['of the 17th']);
  expect(await brandNames('2026-11-15T23:59:59.999999Z')).toEqual(['of the 9th']);
  expect(await brandNames('2026-11-15T23:30:00-01:00')).toEqual(['of the 16th']);
});
