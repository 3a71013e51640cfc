/** @module-tag long */
import { expect, test } from 'vitest';
import { documentKinds } from '../../lib/documents/kinds.ts';
import { runProgram } from '../support/program.ts';
import { objectivesOf } from '../tools/bench/weekly/objectives.ts';
import type { Objective } from '../tools/bench/weekly/objectives.ts';
import { AS_OF, testLake } from './lake.ts';
import { sound, tracked } from './records.ts';

const steps = [
  'start',
  'read tracking',
  'read lists',
  'reduce',
  'read window',
  'check',
  ...documentKinds.map((kind) => `query ${kind}`),
  'encode documents',
];

test('the benchmark measures each step of a week', async () => {
  const { lake, ingested } = await testLake();
  await ingested({ ...tracked, 'runs.ndjson': [sound.runs()] });
  const { stdout, status } = await runProgram(
    'test/tools/bench/weekly/compute.program.ts',
    [lake, AS_OF],
    {},
  );
  expect(status).toBe(0);
  expect(Object.keys(JSON.parse(stdout) as object).toSorted()).toEqual(steps.toSorted());
});

const atMost = (objectives: readonly Objective[]) =>
  objectives.flatMap(({ name, of, baseline, atMost: most }) =>
    most === null || baseline.includes('copy') || baseline.includes('convert')
      ? []
      : [`${name} ${of} ${most}`],
  );

const of = (brands: number, cycles: number) => atMost(objectivesOf({ brands, prompts: 25, cycles }));

test('each size has the objectives of docs/performance.md', () => {
  const memory = `week peakBytes ${2 ** 31}`;
  expect(of(2000, 12)).toEqual([memory]);
  expect(of(200, 12)).toEqual([memory, 'week computed cpuSeconds 1.3']);
  expect(of(200, 104)).toEqual([memory, 'week computed cpuSeconds 1.3']);
});
