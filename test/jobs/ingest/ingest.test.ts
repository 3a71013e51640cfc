/** @module-tag slow */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { publish } from '../jobs.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, ndjson, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const run = (n: number, given: Fields = {}) => sound.runs({ id: runId(n), ...given });

test('what belongs to nothing is kept, counted as orphaned, and shown once its owner comes', async () => {
  const { folder, lake, ingested, answers } = await testLake();
  const late = { brand_id: runId(80) };
  await ingested({
    ...tracked,
    'brands.ndjson': [sound.brands(), sound.brands({ id: runId(77), workspace_id: runId(78) })],
    'prompts.ndjson': [sound.prompts(), sound.prompts({ id: runId(79), ...late })],
    'competitors.ndjson': [sound.competitors(), sound.competitors({ id: runId(81), ...late })],
    'runs.ndjson': [run(1), run(2, late), run(3, { ...late, ran_at: '2026-11-16T06:00:00.000001Z' })],
  });
  const report = await publish(lake, join(folder, 'store'), AS_OF);
  expect(report.orphaned).toEqual({ runs: 1, prompts: 1, competitors: 1, brands: 1 });
  expect(Object.keys(await answers())).toEqual(['brands', ids.brand, 'week']);
  await ingested({ 'brands.ndjson': [sound.brands(), sound.brands({ id: runId(80), name: 'Late' })] });
  expect((await answers())[runId(80)]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
    prompts: { prompts: [{ id: runId(79) }] },
  });
});

test('a file that is written again fails the ingest, which has taken nothing', async () => {
  const { lake, dropOf } = await testLake();
  const from = await dropOf({ ...tracked, 'runs.ndjson': [run(1)] });
  const sizes = (await filesBelow(from)).map((path) => statSync(path).size);
  const started: number[] = [];
  const effects = {
    // A tracking date may be a day ahead.
    clock: { now: () => Date.parse('2026-11-15T00:00:00Z') },
    onStart: (bytes: number) => started.push(bytes),
    // Of the same size.
    onBytes: () => writeFileSync(join(from, 'runs.ndjson'), ndjson([run(2)])),
  };
  const ingested = ingest({ from, lake: directoryStore(lake), date: '2026-11-16' }, effects);
  await expect(ingested).rejects.toThrow(/runs\.ndjson changed while it was read; try again$/);
  expect(await filesBelow(lake)).toEqual([]);
  expect(started).toEqual([sizes.reduce((sum, size) => sum + size)]);
});
