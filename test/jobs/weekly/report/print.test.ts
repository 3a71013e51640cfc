/** @module-tag slow */
import { expect, test } from 'vitest';
import { runHere } from '../../../adapters/deliver.ts';
import { testLake } from '../../lake.ts';
import { ids, sound, tracked } from '../../records.ts';

test('the report lists each workspace for which nothing was delivered for weeks, with its newest cycle', async () => {
  const { lake, folder, ingested } = await testLake();
  await ingested({ ...tracked, 'runs.ndjson': [sound.runs()] });
  const settings = { LAKE_URL: lake, STORE_URL: `${folder}/store` };
  const weekly = async (asOf: string) =>
    await runHere('job', ['weekly', '--as-of', asOf], { folder, settings });
  const row = new RegExp(`^ *${ids.workspace} +2026-11-09 *$`, 'm');
  const stale = await weekly('2027-01-18T06:00:00Z');
  expect(stale.status).toBe(0);
  expect(stale.stdout).toMatch(/Warning: nothing newer than \d+ days was delivered for 1 of 1 workspaces:/);
  expect(stale.stdout).toMatch(row);
  expect((await weekly('2026-11-16T06:00:00Z')).stdout).not.toMatch(row);
});
