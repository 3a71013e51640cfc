import type { Clock } from '../../lib/clock.ts';
import { reasonOf } from '../../lib/failure.ts';
import type { Logger } from '../../lib/log.ts';
import { writeWeeklyMetrics } from '../weekly/report/metrics.ts';
import type { LastRuns } from '../weekly/report/metrics.ts';
import type { Shard } from '../weekly/shard.ts';
import type { Completed } from './completed.ts';
import type { Outcome } from './run-due.ts';

type Known = Omit<LastRuns, 'completed'> & { completed?: Completed };

/**
 * Reports every attempt: one line in the log, and the metrics file, if it has a path.
 * @param before the last run that was completed until now; null if there is none.
 */
export function journal(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  clock: Clock,
  metricsFile: { path: string | undefined; shard?: Shard | undefined },
  before: Completed | null,
): (outcome: Outcome, due: number) => Promise<void> {
  let completed = before;
  let lastReported: string | null = null;
  return async (outcome, due) => {
    // A lease of another scheduler is looked at every few seconds: one line for all of these attempts.
    const summary = `${outcome.kind} ${due} ${outcome.kind === 'held' ? outcome.holder : ''}`;
    if (outcome.kind !== 'held' || summary !== lastReported) report(log, outcome, due);
    lastReported = summary;
    const last = lastRunOf(outcome, due, clock.now());
    if (last === null) return;
    completed = last.completed ?? completed;
    if (metricsFile.path === undefined) return;
    try {
      await writeWeeklyMetrics(metricsFile.path, metricsFile.shard, { ...last, completed });
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'the metrics file cannot be written');
    }
  };
}

function report(log: Pick<Logger, 'info' | 'warn' | 'error'>, outcome: Outcome, at: number): void {
  const due = new Date(at).toISOString();
  switch (outcome.kind) {
    case 'done':
      return log.info(figuresOf(outcome.completed), 'weekly run done');
    case 'done before':
      return log.info(
        { due, finishedAt: outcome.completed.finishedAt, host: outcome.completed.host },
        'done before',
      );
    case 'held':
      return log.info({ due, holder: outcome.holder }, 'another scheduler has the lease');
    case 'partial':
      return log.error(
        { ...figuresOf(outcome.completed), reason: outcome.reason, unpublished: outcome.unpublished },
        'weekly run left workspaces unpublished',
      );
    case 'failed':
      return log.error({ due, seconds: outcome.seconds, reason: outcome.reason }, 'weekly run failed');
    case 'stopped':
      return log.warn({ due, seconds: outcome.seconds }, 'weekly run stopped');
  }
}

function figuresOf(completed: Completed): object {
  return { ...completed, format: undefined, newestCycles: undefined };
}

/** Null if there was no attempt. */
function lastRunOf(outcome: Outcome, due: number, now: number): Known | null {
  const failed = { due, finishedAt: now, isSuccess: false };
  switch (outcome.kind) {
    case 'done':
    case 'done before': {
      const { completed } = outcome;
      const [dueThen, finishedAt] = [Date.parse(completed.due), Date.parse(completed.finishedAt)];
      return { ...completed, due: dueThen, finishedAt, isSuccess: true, unpublished: [], completed };
    }
    case 'partial':
      return { ...outcome.completed, ...failed, unpublished: outcome.unpublished };
    case 'failed':
    case 'stopped':
      return { ...failed, seconds: outcome.seconds, complete: null, unpublished: null, newestCycles: {} };
    case 'held':
      return null;
    default:
      return outcome satisfies never;
  }
}
