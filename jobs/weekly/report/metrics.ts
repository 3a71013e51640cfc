import { writeMetricsFile } from '../../../lib/metrics/prometheus.ts';
import { Gauge, Registry } from '../../../lib/metrics/prometheus.ts';
import { shardFile } from '../shard.ts';
import type { Shard } from '../shard.ts';
import type { Figures, RunEnd } from './figures.ts';
import type { Unpublished } from './unpublished.ts';

/** What is known of the last run. */
export interface LastRun {
  /** Of a run that failed, only its end. */
  run: RunEnd & Partial<Figures>;
  /** The workspaces that it did not publish; absent if it failed. */
  unpublished?: readonly Pick<Unpublished, 'workspaceId' | 'reason'>[];
}

/**
 * Writes the metrics file of a run, if it has a path. The file of a shard is named after it, and its metrics have the label
 * `shard`.
 * @param completed the last run that published everything; null if none is known
 * @throws Failure that names the file if it cannot be written.
 */
export async function writeWeeklyMetrics(
  path: string | undefined,
  shard: Shard | undefined,
  last: LastRun,
  completed: Figures | null,
): Promise<void> {
  if (path === undefined) return;
  const registry = weeklyMetrics(last, completed);
  if (shard === undefined) return await writeMetricsFile(path, registry);
  registry.setDefaultLabels({ shard: `${shard.index}/${shard.count}` });
  await writeMetricsFile(shardFile(path, shard), registry);
}

type AddGauge = (name: string, help: string, ...labelNames: string[]) => Gauge;

/** docs/schedule.md describes each metric. */
function weeklyMetrics(last: LastRun, completed: Figures | null): Registry {
  const registry = new Registry();
  const add: AddGauge = (name, help, ...labelNames) =>
    new Gauge({ name: `sightline_weekly_${name}`, help, labelNames, registers: [registry] });
  const { due, finishedAt, seconds, complete = null } = last.run;
  add('last_run_timestamp_seconds', 'When the last run ended, successful or not.').set(secondsOf(finishedAt));
  add('last_run_duration_seconds', 'How long the last run took.').set(seconds);
  add('last_run_success', '1 if it published every workspace, otherwise 0.').set(
    +(last.unpublished?.length === 0),
  );
  add('last_run_due_timestamp_seconds', 'The instant that the last run was for.').set(secondsOf(due));
  if (complete !== null)
    add('last_run_complete_percent', 'How much of the newest week was delivered, in percent.').set(complete);
  if (last.run.stale !== undefined)
    add('stale_workspaces', 'Workspaces for which nothing newer than ten days is delivered.').set(
      last.run.stale,
    );
  describeWorkspaces(last, add);
  if (completed !== null) describeSuccess(completed, add);
  return registry;
}

function describeWorkspaces({ unpublished, run }: LastRun, add: AddGauge): void {
  const { newestCycles = {}, measurementChanges = {} } = run;
  const newest = add(
    'newest_cycle_timestamp_seconds',
    'When the newest cycle of a workspace with active prompts began.',
    'workspace',
  );
  for (const [workspace, cycle] of Object.entries(newestCycles)) newest.set({ workspace }, secondsOf(cycle));
  const changed = add(
    'measurement_changes',
    'Engines of brands that were measured otherwise than in the week before, by what changed.',
    'workspace',
    'change',
  );
  for (const [workspace, kinds] of Object.entries(measurementChanges))
    for (const [change, engines] of Object.entries(kinds)) changed.set({ workspace, change }, engines);
  if (unpublished === undefined) return;
  const help = '1 for each workspace that the last run did not publish, with the reason.';
  const held = add('unpublished', help, 'workspace', 'reason');
  for (const { workspaceId: workspace, reason } of unpublished) held.set({ workspace, reason }, 1);
  add('unpublished_workspaces', 'How many workspaces the last run did not publish.').set(unpublished.length);
}

function describeSuccess(done: Figures, add: AddGauge): void {
  const finishedAt = secondsOf(done.finishedAt);
  add('last_success_timestamp_seconds', 'When the last successful run ended.').set(finishedAt);
  add('last_success_due_timestamp_seconds', 'The instant that the last successful run was for.').set(
    secondsOf(done.due),
  );
  add('last_success_duration_seconds', 'How long the last successful run took.').set(done.seconds);
  add('workspaces', 'Workspaces of the last successful run.').set(done.workspaces);
  add('brands', 'Brands in the snapshots that it published or found unchanged.').set(done.brands);
  add('documents', 'Documents in them.').set(done.documents);
  add('bytes', 'Bytes of these documents.').set(done.bytes);
  add('new_snapshots', 'Workspaces that got a new snapshot.').set(done.new);
  add('unchanged_snapshots', 'Workspaces that already had this snapshot.').set(done.unchanged);
  add('refused_runs', 'Runs that ingest refused, over all deliveries.').set(done.refused);
  add('future_runs', 'Runs dated more than a day after the snapshot, which lacks them.').set(done.futureRuns);
  if (done.complete !== null)
    add('complete_percent', 'How much of the newest week was delivered, in percent.').set(done.complete);
  const orphaned = add('orphaned', 'Records whose brand or workspace is not tracked, by kind.', 'kind');
  for (const [kind, records] of Object.entries(done.orphaned)) orphaned.set({ kind }, records);
}

function secondsOf(instant: string): number {
  return Date.parse(instant) / 1000;
}
