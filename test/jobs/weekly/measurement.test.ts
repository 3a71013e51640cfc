/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWeeklyMetrics } from '../../../jobs/weekly/report/metrics.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver, logOf, settingsOf } from '../jobs.ts';
import { ids, runId, sound, tracked, writeDrop } from '../records.ts';

const weeks = ['2026-11-02', '2026-11-09', '2026-11-16'];

/** Runs of one prompt on two engines, a week each; `counts` and `models` are those of perplexity, by week. */
function runsOf(counts: readonly number[], models: readonly (string | undefined)[]) {
  return weeks.flatMap((date, week) => {
    const run = (number: number, engine: string, model: string | undefined) =>
      sound.runs({
        id: runId(100 * week + number),
        cycle_date: date,
        ran_at: `${date}T08:00:00Z`,
        engine,
        model,
      });
    const own = Array.from({ length: counts[week]! }, (_, number) => run(number, 'perplexity', models[week]));
    return [...own, run(99, 'claude', 'c-1')];
  });
}

async function reportOf(runs: object[], asOf: string, below?: string): Promise<WeeklyReport> {
  const folder = below ?? (await temporaryFolder());
  const drop = await writeDrop(join(folder, 'drop'), { ...tracked, 'runs.ndjson': runs as never });
  await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-02' });
  return await weekly({
    lake: directoryStore(join(folder, 'lake')),
    ...logOf(join(folder, 'store')),
    asOf: parseInstant(asOf)!,
    threads: 1,
  });
}

const named = { workspaceId: ids.workspace, brandId: ids.brand, brand: 'Acme', engine: 'perplexity' };
const monday = '2026-11-16T12:00:00Z';

test('more runs per prompt and another model are reported in their week, with a metric of the workspace', async () => {
  const folder = await temporaryFolder();
  const report = await reportOf(runsOf([1, 1, 3], ['m-1', 'm-1', 'm-2']), monday, folder);
  expect(report.measurement).toEqual([
    { ...named, kind: 'runs_per_prompt', before: '1.0', after: '3.0' },
    { ...named, kind: 'models', before: null, after: 'm-2' },
  ]);
  expect(report.unpublished).toEqual([]);
  const [lake, store] = [join(folder, 'lake'), join(folder, 'store')];
  const settings = settingsOf(store);
  const args = ['weekly', '--lake', lake, '--store', store, '--as-of', monday];
  const { stdout } = await runHere('job', args, { settings });
  expect(stdout).toMatch(/^perplexity .* 1\.0 +3\.0 +Acme *$/m);
  expect(stdout).toMatch(/^perplexity .* m-2 +Acme *$/m);
  const end = {
    due: '2026-11-16T12:00:00.000Z',
    finishedAt: '2026-11-16T12:00:05.000Z',
    seconds: 5,
    host: 'a',
  };
  const run = { end, report };
  const file = join(folder, 'weekly.prom');
  await writeWeeklyMetrics(file, undefined, run, run);
  const metrics = await readFile(file, 'utf8');
  for (const change of ['runs_per_prompt', 'models'])
    expect(metrics).toContain(
      `sightline_weekly_measurement_changes{workspace="${ids.workspace}",change="${change}"} 1\n`,
    );
});

test('a fifth more runs, the same models and unknown ones are not reported', async () => {
  expect((await reportOf(runsOf([5, 5, 6], ['m-1', 'm-1', 'm-1']), monday)).measurement).toEqual([]);
  const { measurement } = await reportOf(runsOf([5, 5, 5], ['m-1', undefined, 'm-2']), monday);
  expect(measurement).toEqual([]);
});

test('a change of an older week is not reported again', async () => {
  const runs = runsOf([1, 1, 3], ['m-1', 'm-1', 'm-2']);
  expect((await reportOf(runs, '2026-11-24T12:00:00Z')).measurement).toEqual([]);
});
