/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { runHere } from '../../support/command-line.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { missingForSmallDisk, PAGE, smallDisk } from '../../support/small-disk.ts';
import { currentIn, settingsOf } from '../jobs.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { idOf, ids, mention, runId, sound, tracked } from '../records.ts';

/** The workspace without a brand. */
const other = idOf('a', 2);

const run = (n: number, cycle: string) =>
  sound.runs({
    id: runId(n),
    cycle_date: cycle,
    ran_at: `${cycle}T08:00:00Z`,
    mentions: n % 2 ? [mention()] : [],
  });

/**
 * A lake to which this was delivered on a date: two workspaces, one brand with two weeks of runs and a prompt that no engine
 * ran, and a line that is refused. `weekly` is as of AS_OF unless it is told otherwise.
 */
async function setUp(date: string | null = '2026-11-16') {
  const { folder, lake, dropOf, ingested } = await testLake();
  const store = join(folder, 'store');
  const deliver = async (day: string) =>
    await ingested(
      {
        ...tracked,
        'workspaces.ndjson': [sound.workspaces(), sound.workspaces({ id: other })],
        'prompts.ndjson': [sound.prompts(), sound.prompts({ id: idOf('d', 2) })],
        'runs.ndjson': [run(1, '2026-11-02'), run(2, '2026-11-09'), '{'],
      },
      day,
    );
  if (date !== null) await deliver(date);
  const job = async (args: readonly string[], settings: Record<string, string> = {}) =>
    await runHere('job', args, {
      settings: { ...settingsOf(store), LAKE_URL: lake, STORE_URL: store, ...settings },
    });
  const weekly = async (...args: string[]) => await job(['weekly', '--as-of', AS_OF, ...args]);
  const report = async (args: readonly string[], settings: Record<string, string> = {}) => {
    const ended = await job(['weekly', '--json', ...args], settings);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    return JSON.parse(ended.stdout) as WeeklyReport;
  };
  return { folder, store, dropOf, deliver, job, weekly, report };
}

test('--metrics-file has the metrics of a run, whether it did its work, held back or failed; those of shards can be read together', async () => {
  const { folder, weekly } = await setUp();
  const measured = async (name: string, ...more: string[]) => {
    const { status } = await weekly('--metrics-file', join(folder, 'weekly.prom'), ...more);
    return [status, await readFile(join(folder, name), 'utf8')] as const;
  };
  const [done, text] = await measured('weekly.prom');
  expect(done).toBe(0);
  expect(text).toMatch(/^sightline_weekly_last_run_success 1$/m);
  expect(text).toMatch(/^sightline_weekly_last_run_complete_percent 50$/m);
  const due = Date.parse(AS_OF) / 1000;
  expect(text).toContain(`\nsightline_weekly_last_success_due_timestamp_seconds ${due}\n`);
  expect(text).toMatch(/^sightline_weekly_workspaces 2$/m);
  const [heldBack, afterwards] = await measured('weekly.prom', '--require-complete', '90');
  expect(heldBack).toBe(1);
  expect(afterwards).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(afterwards).toMatch(/^sightline_weekly_last_run_complete_percent 50$/m);
  const [failed, without] = await measured('weekly.prom', '--lake', join(folder, 'nowhere'));
  expect(failed).toBe(3);
  expect(without).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(without).not.toMatch(/complete_percent|last_success/);
  const shards = [
    await measured('weekly-1-of-2.prom', '--shard', '1/2'),
    await measured('weekly-2-of-2.prom', '--shard', '2/2'),
  ];
  const samples = shards
    .map(([, each]) => each)
    .join('')
    .match(/^sightline_\S+(?= )/gm)!;
  expect(samples).toContain('sightline_weekly_last_run_success{shard="2/2"}');
  expect(new Set(samples).size).toBe(samples.length);
});

test('--due is as of the last scheduled instant: a retry and a shard make snapshots of the same week', async () => {
  const { report } = await setUp();
  const monday = ['--due', '0 6 * * 1', '--timezone', 'Europe/Berlin'];
  const first = await report([...monday, '--shard', '1/2']);
  const retry = await report(monday);
  expect(retry.asOf).toBe(first.asOf);
  const inBerlin = new Date(first.asOf).toLocaleString('en-GB', {
    timeZone: 'Europe/Berlin',
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
  });
  expect(inBerlin).toMatch(/^Monday(?:,| at)? 06:00$/);
  expect(Date.now() - Date.parse(first.asOf)).toBeLessThan(7.1 * 86_400_000);
  expect(first.new + retry.new).toBe(2);
  expect(await report([])).toMatchObject({ new: 2 }); // as of now
  expect(await report(monday)).toMatchObject({ newer: 2, new: 0 });
});

test('a snapshot from the future fails the due week until a run as of now replaces it; a later one that has come does not', async () => {
  const { job } = await setUp();
  const weekly = async (...args: string[]) => await job(['weekly', ...args]);
  const due = async () => await weekly('--due', '0 6 * * 1');
  const future = new Date(Date.now() + 8 * 86_400_000).toISOString();
  expect(await weekly('--as-of', future)).toMatchObject({ status: 0 });
  const refused = await due();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(
    `its snapshot is as of ${future}, which is in the future: it was published by a clock that was ahead; set the clock, then "weekly" without --due replaces it`,
  );
  expect(await weekly()).toMatchObject({ status: 0 });
  expect(await due()).toMatchObject({ status: 0 });
});

test('--shards publishes the shard that Kubernetes or AWS Batch says, and refuses to guess it', async () => {
  const { report, job } = await setUp();
  const args = ['--as-of', AS_OF, '--shards', '3'];
  const { shard } = await report(args, { JOB_COMPLETION_INDEX: '2', AWS_BATCH_JOB_ARRAY_INDEX: '0' });
  expect(shard).toEqual({ index: 3, count: 3 });
  const second = await report(args, { AWS_BATCH_JOB_ARRAY_INDEX: '1' });
  expect(second.shard).toEqual({ index: 2, count: 3 });
  for (const [settings, complaint] of [
    [{}, 'neither JOB_COMPLETION_INDEX nor AWS_BATCH_JOB_ARRAY_INDEX is set: --shards 3 are 0 to 2'],
    [{ AWS_BATCH_JOB_ARRAY_INDEX: '3' }, 'AWS_BATCH_JOB_ARRAY_INDEX is 3: --shards 3 are 0 to 2'],
  ] as [Record<string, string>, string][])
    expect(await job(['weekly', ...args], settings)).toEqual({
      status: 1,
      stdout: '',
      stderr: `sightline: ${complaint}\n`,
    });
});

const bytesBelow = async (root: string) => {
  const files = (await filesBelow(root)).filter((path) => path.includes('/snapshots/'));
  return await Promise.all(files.map(async (path) => [path.replace(root, ''), await readFile(path, 'utf8')]));
};

test('weekly reports what it published and what has no owner; "job recompute" makes the same snapshot from its manifest', async () => {
  const { folder, store, dropOf, job, report, weekly } = await setUp();
  const drop = await dropOf({ 'prompts.ndjson': [sound.prompts({ brand_id: runId(9) })] });
  await job(['ingest', '--from', drop, '--date', '2026-11-16']);
  const one = ['--as-of', '2026-11-16T07:00:00+01:00', '--workspace', ids.workspace.toUpperCase()];
  const counts = { workspaces: 1, brands: 1, documents: 20, new: 1, refused: 1 };
  const orphaned = { runs: 0, prompts: 1 };
  expect(await report(one)).toMatchObject({ asOf: '2026-11-16T06:00:00.000Z', ...counts, orphaned });
  const { manifest, publication } = await currentIn(store, ids.workspace);
  expect(manifest.workspaceName).toBe(sound.workspaces()['name']);
  const inputs = await readInputs(directoryStore(store), manifest);
  const recipe = join(folder, 'recipe.json');
  await writeFile(recipe, JSON.stringify({ ...manifest, inputs, publishedAt: publication.publishedAt }));
  const again = join(folder, 'again');
  const recomputed = await job(['recompute', '--manifest', recipe, '--store', again]);
  expect(recomputed).toEqual({ status: 0, stdout: `${manifest.snapshotId}\n`, stderr: '' });
  expect(await bytesBelow(again)).toEqual(await bytesBelow(store));
  const printed = await weekly();
  expect(printed.stdout).toMatch(/^workspaces .* new  unchanged  newer kept /);
  expect(printed.stdout).toMatch(/^ +2 +1 +33 +\d+ +1 +1 +0 +1 +0 /m);
  expect(printed.stdout).toContain(
    'Also orphaned, because their brand or workspace is not tracked: 1 prompts.',
  );
  expect(await weekly('--workspace', runId(9))).toEqual({
    status: 1,
    stdout: '',
    stderr: `sightline: workspace ${runId(9)} is not tracked as of 2026-11-16T06:00:00.000Z\n`,
  });
});

test('weekly of a lake without workspaces says so in one line and publishes nothing; later it lists those that are stale', async () => {
  const { store, deliver, job, weekly } = await setUp(null);
  const refused = /^sightline: the lake [^\n]+ contains no workspaces dated 2026-11-16 or before([^\n]*)\n$/;
  expect(await job(['ingest', '--new-lake'])).toMatchObject({ status: 0 });
  expect(refused.exec((await weekly()).stderr)?.[1]).toContain('ingest a drop first');
  await deliver('2026-11-17');
  const early = await weekly();
  expect(early).toMatchObject({ status: 1, stdout: '' });
  expect(refused.exec(early.stderr)?.[1]).toContain(
    'the first are dated 2026-11-17; "weekly" without --due and --as-of publishes them from that day on',
  );
  expect(await filesBelow(store)).toEqual([]);
  const row = new RegExp(`^ *${ids.workspace} +2026-11-09 *$`, 'm');
  const stale = await weekly('--as-of', '2027-01-18T06:00:00Z');
  expect(stale.status).toBe(0);
  expect(stale.stdout).toMatch(/Warning: nothing newer than 10 days was delivered for 1 of 2 workspaces:/);
  expect(stale.stdout).toMatch(row);
  expect((await weekly('--as-of', '2026-11-17T00:00:00Z')).stdout).not.toMatch(row);
});

describeUnlessMissing(missingForSmallDisk, 'be root', 'a full disk', () => {
  test('of the store is one line, however many workspaces cannot be written', async () => {
    const { weekly } = await setUp();
    const disk = await smallDisk(80);
    const store = join(disk, 'store');
    await writeFile(join(disk, 'filler'), Buffer.alloc(78 * PAGE));
    const ended = await weekly('--store', store);
    const full = `${store} cannot be written: its disk is full`;
    expect(ended).toMatchObject({
      status: 3,
      stderr: `sightline: 2 of 2 workspaces were not published: ${ids.workspace}, ${other}: ${full}\n`,
    });
    expect(ended.stdout.split(full)).toHaveLength(2);
    expect(ended.stdout).toMatch(new RegExp(`^${ids.workspace} and 1 more +failed +`, 'm'));
  });
});
