/** @module-tag long */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { snapshotPrefix } from '../../../snapshots/layout.ts';
import { readInputs, readManifest } from '../../../snapshots/read.ts';
import { runHere } from '../../support/command-line.ts';
import { currentIn, documentsOf, settingsOf } from '../jobs.ts';
import { AS_OF, filesBelow, testLake } from '../lake.ts';
import { ids, runId, sound } from '../records.ts';
import { other, twoWorkspaces } from './two-workspaces.ts';

/** With the settings of the store that the arguments name. */
const job = async (...args: string[]) =>
  await runHere('job', args, { settings: settingsOf(args[args.indexOf('--store') + 1]!) });

describe('npm run job -- weekly', () => {
  test('--metrics-file tells Prometheus of a run, whether it did its work, held back or failed', async () => {
    const { folder, lake, ingested } = await testLake();
    const silent = sound.prompts({ id: 'dddddddd-0000-4000-8000-000000000002' });
    await ingested({ ...twoWorkspaces, 'prompts.ndjson': [sound.prompts(), silent] });
    const file = join(folder, 'sightline-weekly.prom');
    const weekly = async (from: string, ...more: string[]) => {
      const at = ['--lake', from, '--store', join(folder, 'store'), '--as-of', AS_OF];
      const { status } = await job('weekly', ...at, '--metrics-file', file, ...more);
      return { status, text: await readFile(file, 'utf8') };
    };
    const done = await weekly(lake);
    expect(done.status).toBe(0);
    expect(done.text).toMatch(/^sightline_weekly_last_run_success 1$/m);
    expect(done.text).toMatch(/^sightline_weekly_last_run_complete_percent 50$/m);
    const due = Date.parse(AS_OF) / 1000;
    expect(done.text).toContain(`\nsightline_weekly_last_success_due_timestamp_seconds ${due}\n`);
    expect(done.text).toMatch(/^sightline_weekly_workspaces 2$/m);
    const heldBack = await weekly(lake, '--require-complete', '90');
    expect(heldBack.status).toBe(1);
    expect(heldBack.text).toMatch(/^sightline_weekly_last_run_success 0$/m);
    expect(heldBack.text).toMatch(/^sightline_weekly_last_run_complete_percent 50$/m);
    const failed = await weekly(join(folder, 'nowhere'));
    expect(failed.status).toBe(3);
    expect(failed.text).toMatch(/^sightline_weekly_last_run_success 0$/m);
    expect(failed.text).not.toMatch(/complete_percent|last_success/);
  });

  test('shards leave metrics files that one collector can read together', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const places = ['--lake', lake, '--store', join(folder, 'store'), '--as-of', AS_OF];
    const file = ['--metrics-file', join(folder, 'metrics/sightline-weekly.prom')];
    await mkdir(join(folder, 'metrics'));
    for (const shard of ['1/2', '2/2'])
      expect((await job('weekly', ...places, ...file, '--shard', shard)).status).toBe(0);
    const written = (await filesBelow(join(folder, 'metrics'))).toSorted();
    expect(written.map((path) => basename(path))).toEqual([
      'sightline-weekly-1-of-2.prom',
      'sightline-weekly-2-of-2.prom',
    ]);
    const texts = await Promise.all(written.map(async (path) => await readFile(path, 'utf8')));
    const samples = texts.join('').match(/^sightline_\S+(?= )/gm)!;
    expect(samples).toContain('sightline_weekly_last_run_success{shard="2/2"}');
    expect(new Set(samples).size).toBe(samples.length);
  });

  test('--due is as of the last scheduled instant: a retry and a shard make snapshots of the same week', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const at = ['weekly', '--lake', lake, '--store', join(folder, 'store'), '--json'];
    const due = async (...more: string[]) => {
      const { status, stdout } = await job(...at, ...more);
      expect(status).toBe(0);
      return JSON.parse(stdout) as WeeklyReport;
    };
    const monday = ['--due', '0 6 * * 1', '--timezone', 'Europe/Berlin'];
    const first = await due(...monday, '--shard', '1/2');
    const others = [await due(...monday, '--shard', '2/2'), await due(...monday)];
    for (const { asOf } of others) expect(asOf).toBe(first.asOf);
    const berlin = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
    });
    expect(berlin.format(new Date(first.asOf))).toMatch(/^Monday(?:,| at)? 06:00$/);
    expect(Date.now() - Date.parse(first.asOf)).toBeLessThan(7.1 * 86_400_000);
    expect(others[1]).toMatchObject({ workspaces: 2, new: 0, unchanged: 2 });
    const later = await due(); // as of now
    expect(later).toMatchObject({ new: 2 });
    expect(await due(...monday)).toMatchObject({ newer: 2, new: 0 });
    const { stdout } = await job(...at.slice(0, -1), ...monday);
    expect(stdout).toMatch(/^workspaces .* new  unchanged  newer kept /);
    expect(stdout).toMatch(/^ +2 +0 +0 +0 +0 +0 +2 /m);
  });

  test('--shards publishes the shard that Kubernetes or AWS Batch says, and refuses to guess it', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const at = ['--lake', lake, '--store', join(folder, 'store'), '--as-of', AS_OF];
    const indexed = async (settings: Record<string, string>) =>
      await runHere('job', ['weekly', ...at, '--shards', '3', '--json'], {
        settings: {
          ...settingsOf(join(folder, 'store')),
          ...settings,
        },
      });
    const all = [
      await indexed({ JOB_COMPLETION_INDEX: '0' }),
      await indexed({ AWS_BATCH_JOB_ARRAY_INDEX: '1' }),
      await indexed({ JOB_COMPLETION_INDEX: '2', AWS_BATCH_JOB_ARRAY_INDEX: '0' }),
    ];
    const published = all.flatMap(({ stdout }) =>
      (JSON.parse(stdout) as WeeklyReport).snapshots.map(({ workspaceId }) => workspaceId),
    );
    expect(published.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([ids.workspace, other]);
    expect(await indexed({})).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'sightline: neither JOB_COMPLETION_INDEX nor AWS_BATCH_JOB_ARRAY_INDEX is set: --shards 3 are 0 to 2\n',
    });
    expect(await indexed({ AWS_BATCH_JOB_ARRAY_INDEX: '3' })).toMatchObject({
      status: 1,
      stderr: 'sightline: AWS_BATCH_JOB_ARRAY_INDEX is 3: --shards 3 are 0 to 2\n',
    });
  });

  test('prints its counts, computes a snapshot again from its manifest, and names what it cannot do', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested({ ...twoWorkspaces, 'prompts.ndjson': [sound.prompts({ brand_id: runId(9) })] });
    const store = join(folder, 'store');
    const at = ['--lake', lake, '--store', store, '--as-of', '2026-11-16T07:00:00+01:00'];
    const ended = await job('weekly', ...at, '--workspace', ids.workspace.toUpperCase(), '--json');
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    const report = JSON.parse(ended.stdout) as { snapshots: { snapshotId: string }[] };
    expect(report).toMatchObject({
      asOf: '2026-11-16T06:00:00.000Z',
      workspaces: 1,
      brands: 1,
      documents: 20,
      new: 1,
      refused: 1,
      orphaned: { runs: 0, prompts: 1 },
    });
    const { snapshotId } = report.snapshots[0]!;
    const { manifest, publication } = await currentIn(store, ids.workspace);
    expect(manifest.snapshotId).toBe(snapshotId);
    expect(manifest.workspaceName).toBe(sound.workspaces()['name']);
    const inputs = await readInputs(directoryStore(store), manifest);
    const recipe = join(folder, 'recipe.json');
    await writeFile(recipe, JSON.stringify({ ...manifest, inputs, publishedAt: publication.publishedAt }));
    const recompute = ['recompute', '--lake', lake, '--manifest', recipe, '--store'];
    const again = join(folder, 'again');
    const recomputed = await job(...recompute, again);
    expect(recomputed).toEqual({ status: 0, stdout: `${snapshotId}\n`, stderr: '' });
    const written = await readManifest(directoryStore(again), ids.workspace, publication);
    expect(written).toEqual(manifest);
    for (const [path, bytes] of await documentsOf(store, ids.workspace))
      expect(await readFile(join(again, snapshotPrefix(ids.workspace, snapshotId), path))).toEqual(bytes);
    const unknown = await job('weekly', ...at, '--workspace', runId(9));
    expect(unknown).toMatchObject({ status: 1, stdout: '' });
    expect(unknown.stderr).toBe(
      `sightline: workspace ${runId(9)} is not tracked as of 2026-11-16T06:00:00.000Z\n`,
    );
  });

  test('of a lake without workspaces says so in one line and publishes nothing', async () => {
    const { folder, lake, ingested } = await testLake();
    const store = join(folder, 'store');
    const expectRefusal = async () => {
      const ended = await job('weekly', '--lake', lake, '--store', store, '--as-of', AS_OF);
      expect(ended).toMatchObject({ status: 1, stdout: '' });
      expect(ended.stderr).toMatch(
        /^sightline: the lake [^\n]+ contains no workspaces dated 2026-11-16 or before[^\n]*\n$/,
      );
      return ended.stderr;
    };
    expect(await job('ingest', '--new-lake', '--lake', lake)).toMatchObject({ status: 0 });
    expect(await expectRefusal()).toContain('ingest a drop first');
    await ingested(twoWorkspaces, '2026-11-17');
    expect(await expectRefusal()).toContain(
      'the first are dated 2026-11-17; "weekly" without --due and --as-of publishes them from that day on',
    );
    expect(await filesBelow(store)).toEqual([]);
  });

  test('lists each workspace for which nothing was delivered for weeks, with its newest cycle', async () => {
    const { folder, lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const row = new RegExp(`^ *${ids.workspace} +2026-11-09 *$`, 'm');
    const weekly = async (asOf: string) =>
      await job('weekly', '--lake', lake, '--store', join(folder, 'store'), '--as-of', asOf);
    const stale = await weekly('2027-01-18T06:00:00Z');
    expect(stale.status).toBe(0);
    expect(stale.stdout).toMatch(/Warning: nothing newer than \d+ days was delivered for 1 of 2 workspaces:/);
    expect(stale.stdout).toMatch(row);
    expect((await weekly(AS_OF)).stdout).not.toMatch(row);
  });

  test.each([
    [['--as-of', 'yesterday']],
    [['--due', '0 6 * * 1', '--as-of', AS_OF]],
    [['--due', 'mondays']],
    [['--workspace', 'acme']],
    [['--shard', '3/2']],
    [['--shards', '0']],
    [['--shards', '2', '--shard', '1/2']],
  ])('%j is wrong usage: status 2', async (args) => {
    expect(await job('weekly', ...args)).toMatchObject({ status: 2, stdout: '' });
  });
});
