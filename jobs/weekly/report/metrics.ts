import { writeMetricsFile } from '../../../lib/metrics/metrics-file.ts';
import { Gauge, Registry } from '../../../lib/metrics/prometheus.ts';
import type { Orphaned } from '../checks/orphans.ts';
import { shardFile } from '../shard.ts';
import type { Shard } from '../shard.ts';
import type { WeeklyReport } from './report.ts';
import type { Unpublished } from './unpublished.ts';

/** What a run that did its work did. */
export interface DoneRun extends Pick<
  WeeklyReport,
  'workspaces' | 'brands' | 'documents' | 'bytes' | 'new' | 'unchanged' | 'refused'
> {
  orphaned: Orphaned;
  /** ISO 8601. */
  due: string;
  finishedAt: string;
  seconds: number;
  /** Of the newest week, in percent; null where nothing was expected. */
  complete: number | null;
}

/** By workspace id, the newest cycle in which one of its brands ran; of workspaces with active prompts. */
export type NewestCycles = Readonly<Record<string, string>>;

export function newestCyclesOf({ completeness }: WeeklyReport): NewestCycles {
  const known = completeness.workspaces.filter(({ isActive }) => isActive);
  return Object.fromEntries(
    known.flatMap(({ workspaceId, newestCycle }) =>
      newestCycle === null ? [] : [[workspaceId, newestCycle]],
    ),
  );
}

/** What is known of the last attempt, and of the last that did its work. */
export interface LastRuns {
  /** Milliseconds since the Unix epoch. */
  finishedAt: number;
  seconds: number;
  isSuccess: boolean;
  /** The scheduled instant of that run. */
  due: number;
  /** How much of the newest week it found, in percent; null where it failed or nothing was expected. */
  complete: number | null;
  /** What the run did not publish; null where it came to no report. */
  unpublished: readonly Pick<Unpublished, 'workspaceId' | 'reason'>[] | null;
  newestCycles: NewestCycles;
  /** What the last successful run did; null where none is known. */
  completed: DoneRun | null;
}

/**
 * Writes the metrics file of a run. The file of a shard is named after it, and its metrics have the label `shard`.
 * @throws Failure that names the file where it cannot be written.
 */
export async function writeWeeklyMetrics(
  path: string,
  shard: Shard | undefined,
  last: LastRuns,
): Promise<void> {
  const registry = weeklyMetrics(last);
  if (shard === undefined) return await writeMetricsFile(path, registry);
  registry.setDefaultLabels({ shard: `${shard.index}/${shard.count}` });
  await writeMetricsFile(shardFile(path, shard), registry);
}

/** docs/schedule.md describes each metric. */
export function weeklyMetrics(last: LastRuns): Registry {
  const registry = new Registry();
  const registers = [registry];
  const { finishedAt, seconds, isSuccess, due, complete, completed } = last;
  const gauge = (name: string, help: string, value: number | null) => {
    if (value !== null) new Gauge({ name: `sightline_weekly_${name}`, help, registers }).set(value);
  };
  gauge('last_run_timestamp_seconds', 'When the last run ended, done or not.', finishedAt / 1000);
  gauge('last_run_duration_seconds', 'How long it took.', seconds);
  gauge('last_run_success', '1 where it published every workspace, otherwise 0.', +isSuccess);
  gauge('last_run_due_timestamp_seconds', 'The instant that it was for.', due / 1000);
  gauge('last_run_complete_percent', 'How much of the newest week it found.', complete);
  describeWorkspaces(last, registers);
  if (completed !== null) describeSuccess(completed, gauge, registers);
  return registry;
}

function describeWorkspaces({ unpublished, newestCycles }: LastRuns, registers: Registry[]): void {
  const newest = new Gauge({
    name: 'sightline_weekly_newest_cycle_timestamp_seconds',
    help: 'When the newest cycle of a workspace with active prompts began.',
    labelNames: ['workspace'],
    registers,
  });
  for (const [workspace, cycle] of Object.entries(newestCycles)) newest.set({ workspace }, secondsOf(cycle));
  if (unpublished === null) return;
  const held = new Gauge({
    name: 'sightline_weekly_unpublished',
    help: '1 for each workspace that the last run did not publish, with the reason.',
    labelNames: ['workspace', 'reason'],
    registers,
  });
  for (const { workspaceId: workspace, reason } of unpublished) held.set({ workspace, reason }, 1);
  new Gauge({
    name: 'sightline_weekly_unpublished_workspaces',
    help: 'How many workspaces the last run did not publish.',
    registers,
  }).set(unpublished.length);
}

function describeSuccess(
  completed: DoneRun,
  gauge: (name: string, help: string, value: number | null) => void,
  registers: Registry[],
): void {
  gauge(
    'last_success_timestamp_seconds',
    'When the last run that did its work ended.',
    secondsOf(completed.finishedAt),
  );
  gauge('last_success_due_timestamp_seconds', 'The instant that it was for.', secondsOf(completed.due));
  gauge('last_success_duration_seconds', 'How long it took.', completed.seconds);
  gauge('workspaces', 'Workspaces of the last run that did its work.', completed.workspaces);
  gauge('brands', 'Brands in the snapshots that it published or found unchanged.', completed.brands);
  gauge('documents', 'Documents in them.', completed.documents);
  gauge('bytes', 'Bytes of these documents.', completed.bytes);
  gauge('new_snapshots', 'Workspaces that got a new snapshot.', completed.new);
  gauge('unchanged_snapshots', 'Workspaces that had this very snapshot before.', completed.unchanged);
  gauge('refused_runs', 'Runs that ingest refused, over all deliveries.', completed.refused);
  gauge('complete_percent', 'How much of the newest week had come.', completed.complete);
  const orphaned = new Gauge({
    name: 'sightline_weekly_orphaned',
    help: 'Records that belong to nothing that is tracked, by kind.',
    labelNames: ['kind'],
    registers,
  });
  for (const [kind, records] of Object.entries(completed.orphaned)) orphaned.set({ kind }, records);
}

function secondsOf(instant: string): number {
  return Date.parse(instant) / 1000;
}
