/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentKinds } from '../../lib/documents/kinds.ts';
import { runProgram } from '../support/program.ts';
import { objectivesAlone, objectivesBeside } from '../tools/bench/weekly/objectives.ts';
import type { Objective } from '../tools/bench/weekly/objectives.ts';
import { AS_OF, testLake } from './lake.ts';
import { sound, tracked } from './records.ts';

const steps = [
  'start',
  'read tracking',
  'read window',
  'read base',
  'reduce',
  'merge',
  'write base',
  'check',
  ...documentKinds.map((kind) => `query ${kind}`),
  'encode documents',
];

test('the benchmark measures each step of a week, which leaves its base behind', async () => {
  const { lake, ingested } = await testLake();
  await ingested({ ...tracked, 'runs.ndjson': [sound.runs()] });
  const { stdout, status } = await runProgram(
    'test/tools/bench/weekly/compute.program.ts',
    [lake, AS_OF, 'week'],
    {},
  );
  expect(status).toBe(0);
  expect(Object.keys(JSON.parse(stdout) as object).toSorted()).toEqual(steps.toSorted());
  expect(existsSync(join(lake, 'bases'))).toBe(true);
});

const atMost = (objectives: readonly Objective[]) =>
  objectives.flatMap(({ name, of, baseline, atMost: most }) =>
    most === null || baseline.includes('copy') || baseline.includes('convert')
      ? []
      : [`${name} ${of} ${most}`],
  );

test('each size has the objectives of docs/performance.md', () => {
  const of = (brands: number, cycles: number) => atMost(objectivesAlone({ brands, prompts: 25, cycles }));
  expect(of(2000, 12)).toEqual([
    'week cpuSeconds 40',
    `week peakBytes ${1.5 * 2 ** 30}`,
    'full cpuSeconds 90',
    `full peakBytes ${3 * 2 ** 30}`,
  ]);
  expect(of(200, 12)).toEqual(['week computed cpuSeconds 0.7']);
  expect(of(200, 104)).toEqual(['week computed cpuSeconds 0.5']);
  expect(of(500, 12)).toEqual([]);
  const years = { brands: 200, prompts: 25, cycles: 104, besideCycles: 8 };
  expect(atMost(objectivesBeside(years))).toEqual(['week cpuSeconds 1.4']);
  const brands = { brands: 20_000, prompts: 5, cycles: 4, besideBrands: 2000 };
  expect(atMost(objectivesBeside(brands))).toEqual(['week cpuSeconds 12', `week peakBytes ${2 ** 32}`]);
});
