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
 * Reports every attempt: one line in the log, and the metrics file, where there is one.
 * @param before the last run that did its work until now; null where there was none.
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
    // A run of another scheduler is looked after every few seconds: one line for all of that.
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
      return log.info({ due, holder: outcome.holder }, 'another scheduler is at it');
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

/** Null where there was no attempt. */
function lastRunOf(outcome: Outcome, due: number, now: number): Known | null {
  switch (outcome.kind) {
    case 'done':
    case 'done before': {
      const { completed } = outcome;
      const finishedAt = Date.parse(completed.finishedAt);
      const of = Date.parse(completed.due);
      const { seconds, complete, newestCycles } = completed;
      const unpublished: [] = [];
      const common = { seconds, complete, unpublished, newestCycles };
      return { ...common, due: of, finishedAt, isSuccess: true, completed };
    }
    case 'partial': {
      const { seconds, complete, newestCycles } = outcome.completed;
      const { unpublished } = outcome;
      return { due, finishedAt: now, seconds, complete, unpublished, newestCycles, isSuccess: false };
    }
    case 'failed':
    case 'stopped':
      return {
        due,
        finishedAt: now,
        seconds: outcome.seconds,
        complete: null,
        unpublished: null,
        newestCycles: {},
        isSuccess: false,
      };
    case 'held':
      return null;
    default:
      return outcome satisfies never;
  }
}
