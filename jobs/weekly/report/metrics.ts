import type { Gauge } from '../../../lib/metrics/prometheus.ts';
import { measurementKinds } from '../checks/measurement.ts';
import { shardFile } from '../shard.ts';
import type { Shard } from '../shard.ts';
import { countStale } from './report.ts';
import type { EndedRun, WeeklyReport } from './report.ts';

/** A run that published everything. */
export interface SuccessfulRun extends EndedRun {
  report: WeeklyReport;
}

/**
 * Writes the metrics file of a run, if it has a path. The file of a shard is named after it, and its metrics have the label
 * `shard`.
 * @param success the last run that published everything; null if none is known
 * @throws Failure that names the file if it cannot be written.
 */
export async function writeWeeklyMetrics(
  path: string | undefined,
  shard: Shard | undefined,
  last: EndedRun,
  success: SuccessfulRun | null,
): Promise<void> {
  if (path === undefined) return;
  // Loaded only for a file: it takes a sixth of the time that `job weekly` takes to start.
  const library = await import('../../../lib/metrics/prometheus.ts');
  const registry = new library.Registry();
  describeRun(last, success, (name, help, ...labelNames) => {
    const gauge = { name: `sightline_weekly_${name}`, help, labelNames, registers: [registry] };
    return new library.Gauge(gauge);
  });
  if (shard === undefined) return await library.writeMetricsFile(path, registry);
  registry.setDefaultLabels({ shard: `${shard.index}/${shard.count}` });
  await library.writeMetricsFile(shardFile(path, shard), registry);
}

type AddGauge = (name: string, help: string, ...labelNames: string[]) => Gauge;

/** The help text of each metric says what it is. */
function describeRun({ end, report }: EndedRun, success: SuccessfulRun | null, add: AddGauge): void {
  add('last_run_timestamp_seconds', 'When the last run ended, successful or not.').set(
    secondsOf(end.finishedAt),
  );
  add('last_run_duration_seconds', 'How long the last run took.').set(end.seconds);
  add('last_run_success', '1 if it published every workspace, otherwise 0.').set(
    +(report?.unpublished.length === 0),
  );
  add('last_run_due_timestamp_seconds', 'The instant that the last run was for.').set(secondsOf(end.due));
  if (report !== undefined) describeWorkspaces(report, add);
  if (success !== null) describeSuccess(success, add);
}

function describeWorkspaces(
  { completeness, measurement, engineShifts, unpublished }: WeeklyReport,
  add: AddGauge,
): void {
  const { percent, workspaces } = completeness;
  if (percent !== null)
    add('last_run_complete_percent', 'How much of the week was delivered, in percent.').set(percent);
  add('stale_workspaces', 'Workspaces for which nothing newer than ten days is delivered.').set(
    countStale(completeness),
  );
  const newest = add(
    'newest_cycle_timestamp_seconds',
    'When the newest cycle of a workspace with active prompts began.',
    'workspace',
  );
  const changed = add(
    'measurement_changes',
    'Engines of brands that were measured otherwise than in the week before, by what changed.',
    'workspace',
    'change',
  );
  const changes = Map.groupBy(measurement, ({ workspaceId }) => workspaceId);
  for (const { workspaceId: workspace, isActive, newestCycle } of workspaces) {
    if (!isActive || newestCycle === null) continue;
    newest.set({ workspace }, secondsOf(newestCycle));
    const own = changes.get(workspace) ?? [];
    for (const change of measurementKinds)
      changed.set({ workspace, change }, own.filter(({ kind }) => kind === change).length);
  }
  const shift = add(
    'engine_shift',
    'How far the brands were named more (above 0) or less often than expected, all together, in standard deviations.',
    'engine',
  );
  for (const { engine, z } of engineShifts) shift.set({ engine }, z);
  const help = '1 for each workspace that the last run did not publish, with the reason.';
  const held = add('unpublished', help, 'workspace', 'reason');
  for (const { workspaceId: workspace, reason } of unpublished) held.set({ workspace, reason }, 1);
  add('unpublished_workspaces', 'How many workspaces the last run did not publish.').set(unpublished.length);
}

function describeSuccess({ end, report }: SuccessfulRun, add: AddGauge): void {
  add('last_success_timestamp_seconds', 'When the last successful run ended.').set(secondsOf(end.finishedAt));
  add('last_success_due_timestamp_seconds', 'The instant that the last successful run was for.').set(
    secondsOf(end.due),
  );
  add('last_success_duration_seconds', 'How long the last successful run took.').set(end.seconds);
  add('workspaces', 'Workspaces of the last successful run.').set(report.workspaces);
  add('brands', 'Brands in the snapshots that it published or found unchanged.').set(report.brands);
  add('documents', 'Documents in them.').set(report.documents);
  add('bytes', 'Bytes of these documents.').set(report.bytes);
  add('new_snapshots', 'Workspaces that got a new snapshot.').set(report.new);
  add('unchanged_snapshots', 'Workspaces that already had this snapshot.').set(report.unchanged);
  add('refused_runs', 'Runs that ingest refused, over all deliveries.').set(report.refused);
  add('future_runs', 'Runs dated more than a day after the snapshot, which lacks them.').set(
    report.futureRuns,
  );
  if (report.completeness.percent !== null)
    add('complete_percent', 'How much of the week was delivered, in percent.').set(
      report.completeness.percent,
    );
  const orphaned = add('orphaned', 'Records whose brand or workspace is not tracked, by kind.', 'kind');
  for (const [kind, records] of Object.entries(report.orphaned)) orphaned.set({ kind }, records);
}

function secondsOf(instant: string): number {
  return Date.parse(instant) / 1000;
}
