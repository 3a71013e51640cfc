import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineShifts, isUnusual, shiftInWords } from '../../../jobs/weekly/checks/engine-shifts.ts';
import type { BrandDeviation } from '../../../jobs/weekly/checks/engine-shifts.ts';
import { writeWeeklyMetrics } from '../../../jobs/weekly/report/metrics.ts';
import { shiftsInWords } from '../../../jobs/weekly/report/print.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { idOf } from '../drops/records.ts';
import { deliver, logOf } from '../jobs.ts';
import { writeDrop } from '../records.ts';

const unit = BigInt(CYCLES_MULTIPLE);
/** @param tenths of prompts more than expected; the variance is 1 */
const deviation = (tenths: number): BrandDeviation => ({
  engine: 'gemini',
  difference: (BigInt(tenths) * unit) / 10n,
  variance: unit ** 2n,
  modelsChanged: null,
});

/** Of equal brands. */
const shiftOf = (brands: number, tenths: number) =>
  engineShifts(Array.from({ length: brands }, () => deviation(tenths)))[0]!;

test('from a shift of three standard deviations on, and from five brands on', () => {
  // 9 brands: z = 9·d/3.
  const unusual = [10, 9, -10].map((tenths) => isUnusual(shiftOf(9, tenths)));
  expect(unusual).toEqual([true, false, true]);
  expect([isUnusual(shiftOf(5, 30)), isUnusual(shiftOf(4, 30))]).toEqual([true, false]);
  expect(shiftInWords(shiftOf(5, 30))).toBe(
    'gemini: 5 of 5 brands moved up; their models are not known: add an event',
  );
  expect(engineShifts([])).toEqual([]);
});

const BRANDS = 6;
const PROMPTS = 12;
const weeks = ['2026-10-12', '2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'];
const created_at = '2026-01-05T09:30:00Z';

/** Each brand is named in two of three prompts on both engines, in the newest week in one of three on gemini. */
async function lakeOfBrands(folder: string): Promise<string> {
  const workspace = { id: idOf('workspace', 0), name: 'W', created_at };
  const brands = Array.from({ length: BRANDS }, (_, n) => {
    return { id: idOf('brand', n), workspace_id: workspace.id, name: `Brand ${n}`, domain: '', created_at };
  });
  let count = 0;
  const runs = brands.flatMap(({ id }, brand) =>
    weeks.flatMap((date, week) =>
      ['chatgpt', 'gemini'].flatMap((engine) =>
        Array.from({ length: PROMPTS }, (_, prompt) => {
          const isNewest = week === weeks.length - 1 && engine === 'gemini';
          const isNamed = (prompt + week + brand) % 3 < (isNewest ? 1 : 2);
          return {
            id: `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`,
            brand_id: id,
            prompt_id: idOf('prompt', prompt),
            engine,
            cycle_date: date,
            ran_at: `${date}T01:00:00Z`,
            status: 'success',
            model: isNewest && brand > 0 ? 'm-2' : 'm-1',
            mentions: isNamed ? [{ name: 'B', subject: 'brand', position: 1, sentiment: null }] : [],
          };
        }),
      ),
    ),
  );
  const drop = await writeDrop(join(folder, 'drop'), {
    'workspaces.ndjson': [workspace],
    'brands.ndjson': brands,
    'runs.ndjson': runs,
  });
  await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
  return join(folder, 'lake');
}

test('weekly warns of an engine that moved for many brands, in one line, with a metric; a shard speaks of its own', async () => {
  const folder = await temporaryFolder();
  const options = {
    lake: directoryStore(await lakeOfBrands(folder)),
    ...logOf(join(folder, 'store')),
    asOf: parseInstant('2026-11-16T06:00:00Z')!,
    threads: 1,
  };
  const report = await weekly({ ...options, shard: { index: 1, count: 1 } });
  const gemini = report.engineShifts.find(({ engine }) => engine === 'gemini')!;
  expect(gemini).toMatchObject({ brands: BRANDS, sameSign: BRANDS, modelsKnown: BRANDS, modelsChanged: 5 });
  // Four of twelve, where e is 4/6 or 3/6 for each prompt, so that Σe is between 6 and 8 of a brand.
  expect(gemini.z).toBeLessThan(-3);
  expect(Math.abs(report.engineShifts.find(({ engine }) => engine === 'chatgpt')!.z)).toBeLessThan(3);
  expect(shiftsInWords(report)).toEqual([
    'Warning: hardly by chance, engines moved for many brands of shard 1 of 1, which knows no others:',
    'gemini: 6 of 6 brands moved down; another model answers for 5 of 6: add an event',
  ]);
  expect(shiftsInWords({ ...report, shard: null })[0]).toBe(
    'Warning: hardly by chance, engines moved for many brands:',
  );
  expect(shiftsInWords({ engineShifts: [], shard: null })).toEqual([]);
  const end = {
    due: '2026-11-16T06:00:00.000Z',
    finishedAt: '2026-11-16T06:00:05.000Z',
    seconds: 5,
    host: 'a',
  };
  const file = join(folder, 'weekly.prom');
  await writeWeeklyMetrics(file, undefined, { end, report }, null);
  expect(await readFile(file, 'utf8')).toContain(
    `sightline_weekly_engine_shift{engine="gemini"} ${gemini.z}\n`,
  );
});
