/** @module-tag slow */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { engineShifts, isUnusual } from '../../../jobs/weekly/checks/engine-shifts.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { deliver, publish, settingsOf } from '../jobs.ts';
import { idOf, ids, runId, sound, writeDrop } from '../records.ts';

const newFolder = temporaryFolders();
const BRANDS = 6;
const weeks = ['2026-10-12', '2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'];

let count = 0;
/**
 * Each brand is named in two of three prompts on both engines, in the newest week in one of three on gemini, where another
 * model answers for all brands but one. The first two brands get other numbers of answers on chatgpt then: 6 of 5, and 2.
 */
const runs = weeks.flatMap((date, week) =>
  Array.from({ length: BRANDS }, (_, brand) => brand).flatMap((brand) =>
    ['chatgpt', 'gemini'].flatMap((engine) =>
      Array.from({ length: 12 }, (_, prompt) => prompt).flatMap((prompt) => {
        const isNewest = date === weeks.at(-1);
        const isChanged = isNewest && engine === 'gemini';
        const usual = brand === 0 && engine === 'chatgpt' ? 5 : 1;
        const answers = isNewest && engine === 'chatgpt' && brand < 2 ? usual + 1 : usual;
        const isNamed = (prompt + week + brand) % 3 < (isChanged ? 1 : 2);
        return Array.from({ length: answers }, () =>
          sound.runs({
            id: runId(++count),
            brand_id: idOf('b', brand),
            prompt_id: idOf('d', prompt),
            engine,
            cycle_date: date,
            ran_at: `${date}T01:00:00Z`,
            model: isChanged && brand > 0 ? 'm-2' : 'm-1',
            mentions: isNamed ? [{ name: 'B', subject: 'brand', position: 1, sentiment: null }] : [],
          }),
        );
      }),
    ),
  ),
);

let folder: string;
let lake: string;
beforeAll(async () => {
  folder = await newFolder();
  lake = join(folder, 'lake');
  const drop = await writeDrop(join(folder, 'drop'), {
    'workspaces.ndjson': [sound.workspaces()],
    'brands.ndjson': Array.from({ length: BRANDS }, (_, n) =>
      sound.brands({ id: idOf('b', n), name: `Brand ${n}` }),
    ),
    'prompts.ndjson': [sound.prompts({ brand_id: idOf('b', 0) })],
    'runs.ndjson': runs,
  });
  await deliver(lake, { folder: drop, date: '2026-11-16' });
});

const of = (n: number) => ({ workspaceId: ids.workspace, brandId: idOf('b', n), brand: `Brand ${n}` });

test('weekly warns of an engine that moved for many brands, and of scores that were measured otherwise: in its report, in words and as metrics', async () => {
  const store = join(folder, 'store');
  const file = join(folder, 'weekly.prom');
  const weekly = async (...more: string[]) => {
    const args = ['weekly', '--lake', lake, '--store', store, '--as-of', '2026-11-16T12:00:00Z', ...more];
    return (await runHere('job', args, { settings: settingsOf(store) })).stdout;
  };
  const {
    engineShifts: shifts,
    measurement,
    unpublished,
  } = JSON.parse(await weekly('--json')) as WeeklyReport;
  expect(unpublished).toEqual([]);
  const [chatgpt, gemini] = shifts as [(typeof shifts)[0], (typeof shifts)[0]];
  expect(gemini).toMatchObject({
    engine: 'gemini',
    brands: BRANDS,
    sameSign: BRANDS,
    modelsKnown: BRANDS,
    modelsChanged: 5,
  });
  // Four of twelve, where e is 4/6 or 3/6 for each prompt, so that Σe is between 6 and 8 of a brand.
  expect(gemini.z).toBeLessThan(-3);
  expect(Math.abs(chatgpt.z)).toBeLessThan(3);
  expect(measurement).toEqual([
    // A fifth more, for the first brand, is not reported.
    { ...of(1), engine: 'chatgpt', kind: 'runs_per_prompt', before: '1.0', after: '2.0' },
    ...[1, 2, 3, 4, 5].map((n) => ({
      ...of(n),
      engine: 'gemini',
      kind: 'models',
      before: null,
      after: 'm-2',
    })),
  ]);
  const words = await weekly('--shard', '1/1', '--metrics-file', file);
  expect(words).toContain(
    'engines moved for many brands of shard 1 of 1, which knows no others:\ngemini: 6 of 6 brands moved down; another model answers for 5 of 6: add an event\n',
  );
  expect(words).toMatch(/^chatgpt +runs per prompt +1\.0 +2\.0 +Brand 1$/m);
  expect(words).toMatch(/^gemini +model +m-2 +Brand 1 and 4 more$/m);
  expect(await weekly()).toContain('engines moved for many brands:\n');
  const metrics = await readFile(join(folder, 'weekly-1-of-1.prom'), 'utf8');
  expect(metrics).toContain(`sightline_weekly_engine_shift{engine="gemini",shard="1/1"} ${gemini.z}\n`);
  expect(metrics).toMatch(/^sightline_weekly_measurement_changes\{.*change="models".*\} 5$/m);
  expect(metrics).toMatch(/^sightline_weekly_measurement_changes\{.*change="runs_per_prompt".*\} 1$/m);
});

test('a change of an older week is not reported again', async () => {
  const report = await publish(lake, join(folder, 'later'), '2026-11-24T12:00:00Z');
  expect(report.measurement).toEqual([]);
});

test('a shift is unusual from three standard deviations on, and from five brands on', () => {
  const unit = BigInt(CYCLES_MULTIPLE);
  // Of equal brands, each with a variance of 1: z is tenths / 10 · √brands.
  const isUnusualFor = (brands: number, tenths: number) => {
    const difference = (BigInt(tenths) * unit) / 10n;
    const deviation = { engine: 'gemini' as const, difference, variance: unit ** 2n, modelsChanged: null };
    return isUnusual(engineShifts(Array.from({ length: brands }, () => deviation))[0]!);
  };
  const found = [
    isUnusualFor(9, 10),
    isUnusualFor(9, 9),
    isUnusualFor(9, -10),
    isUnusualFor(5, 30),
    isUnusualFor(4, 30),
  ];
  expect(found).toEqual([true, false, true, true, false]);
});
