import { Gauge, Registry } from '../../lib/prometheus.ts';
import type { Orphaned } from './orphans.ts';
import type { WeeklyReport } from './report.ts';

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

/** What is known of the last attempt, and of the last that did its work. */
export interface LastRuns {
  /** Milliseconds since the Unix epoch. */
  finishedAt: number;
  seconds: number;
  isSuccess: boolean;
  /** The instant it was for, likewise. */
  due: number;
  /** How much of the newest week it found, in percent; null where it failed or nothing was expected. */
  complete: number | null;
  /** What the last successful run did; null where none is known. */
  completed: DoneRun | null;
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
  gauge(
    'last_run_success',
    '1 where it did its work, 0 where it failed or held workspaces back.',
    +isSuccess,
  );
  gauge('last_run_due_timestamp_seconds', 'The instant that it was for.', due / 1000);
  gauge('last_run_complete_percent', 'How much of the newest week it found.', complete);
  if (completed !== null) describeSuccess(completed, gauge, registers);
  return registry;
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
