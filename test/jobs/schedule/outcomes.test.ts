import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { RETRY, eachSchedule, kindsOf, publish, startIn, untilAttempts } from './scheduler.ts';
import type { Work } from './scheduler.ts';

const each = eachSchedule();
const start = (work: Work) => startIn(each, work);
const metrics = async () => await readFile(join(each.folder, 'a.prom'), 'utf8');

test('a run that fails is tried again until it is done, and the metrics say so', async () => {
  let failures = 2;
  const scheduler = start(async (run) => {
    if (failures-- > 0) throw new Error('no lake');
    return await publish(run);
  });
  await untilAttempts(each, 1, scheduler);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(await metrics()).not.toMatch(/last_success|last_run_complete/);
  each.time.pass(RETRY - 1);
  expect(scheduler.runs).toHaveLength(1);
  each.time.pass(1);
  await untilAttempts(each, 2, scheduler);
  each.time.pass(RETRY);
  await untilAttempts(each, 3, scheduler);
  expect(kindsOf(scheduler)).toEqual(['failed', 'failed', 'done']);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 1$/m);
  expect(new Set(scheduler.runs)).toEqual(new Set(['2026-11-16T06:00:00.000Z']));
});

test('a run that left workspaces unpublished is repeated until all are published, and says which', async () => {
  const [first, second] = workspaceIds;
  let unpublished: WeeklyReport['unpublished'] = [
    { workspaceId: first, reason: 'failed', message: 'its pointer cannot be read' },
    { workspaceId: second, reason: 'incomplete', message: 'less than 95 % has been delivered' },
  ];
  const scheduler = start(async () => ({ unpublished }));
  await untilAttempts(each, 1, scheduler);
  expect(scheduler.outcomes[0]).toMatchObject({
    kind: 'partial',
    reason: expect.stringContaining(`${first}: its pointer cannot be read`) as string,
  });
  expect(JSON.parse(scheduler.log[0]!)).toMatchObject({ unpublished });
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_complete_percent 99$/m);
  expect(await metrics()).toContain(
    `\nsightline_weekly_unpublished{workspace="${first}",reason="failed"} 1\nsightline_weekly_unpublished{workspace="${second}",reason="incomplete"} 1\n`,
  );
  unpublished = [];
  each.time.pass(RETRY);
  await untilAttempts(each, 2, scheduler);
  expect(kindsOf(scheduler)).toEqual(['partial', 'done']);
  expect(await metrics()).toMatch(/^sightline_weekly_unpublished_workspaces 0$/m);
});

test('each run is one line in the log and a metrics file that is whole', async () => {
  const scheduler = start(publish);
  await untilAttempts(each, 1, scheduler);
  expect(scheduler.log).toHaveLength(1);
  const figures = { due: '2026-11-16T06:00:00.000Z', brands: 3, refused: 4, complete: 99 };
  expect(JSON.parse(scheduler.log[0]!)).toMatchObject({ ...figures, message: 'weekly run done' });
  const text = await metrics();
  for (const line of [
    'last_run_due_timestamp_seconds 1794808800',
    'last_run_timestamp_seconds 1795003200',
    'last_run_complete_percent 99',
    'last_success_due_timestamp_seconds 1794808800',
    'new_snapshots 2',
    'refused_runs 4',
    'orphaned{kind="brands"} 1',
  ])
    expect(text.split('\n')).toContain(`sightline_weekly_${line}`);
  const malformed = text
    .split('\n')
    .filter((line) => !/^(|# (HELP|TYPE) \w+ .+|\w+(\{kind="\w+"\})? [\d.]+)$/.test(line));
  expect(malformed).toEqual([]);
});

test('a lake whose disk is away gets no lease, and the run is done when the disk is back', async () => {
  const [lake, away] = [each.log.lake.url, join(each.folder, 'away')];
  await rename(lake, away);
  const scheduler = start(publish);
  await untilAttempts(each, 1, scheduler);
  expect(scheduler.outcomes[0]).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('is its disk mounted?') as string,
  });
  expect(await Array.fromAsync(each.log.lake.list(''))).toEqual([]);
  await rename(away, lake);
  each.time.pass(RETRY);
  await untilAttempts(each, 2, scheduler);
  expect(kindsOf(scheduler)).toEqual(['failed', 'done']);
});
