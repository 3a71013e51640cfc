import { reasonOf } from '../../lib/failure.ts';
import type { Logger } from '../../lib/log.ts';
import { writeWeeklyMetrics } from '../weekly/report/metrics.ts';
import type { SuccessfulRun } from '../weekly/report/metrics.ts';
import { countStale } from '../weekly/report/report.ts';
import type { EndedRun, WeeklyReport } from '../weekly/report/report.ts';
import type { Shard } from '../weekly/shard.ts';
import type { Outcome } from './run-due.ts';

const lines = {
  done: ['info', 'weekly run done'],
  held: ['info', 'another scheduler has the lease'],
  partial: ['error', 'weekly run left workspaces unpublished'],
  failed: ['error', 'weekly run failed'],
  stopped: ['warn', 'weekly run stopped'],
} as const;

/**
 * Reports every attempt: one line in the log, and the metrics file, if it has a path. What it says of the last success is
 * unknown until the first one.
 */
export function journal(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  metricsFile: { path: string | undefined; shard?: Shard | undefined },
): (outcome: Outcome) => Promise<void> {
  let success: SuccessfulRun | null = null;
  let lastHeld: string | null = null;
  return async (outcome) => {
    const { kind } = outcome;
    const [level, message] = lines[kind];
    if (kind === 'held') {
      // The lease is looked at every few seconds: one line for all of these attempts.
      const held = `${outcome.due} ${outcome.holder}`;
      if (held !== lastHeld) log[level]({ due: outcome.due, holder: outcome.holder }, message);
      lastHeld = held;
      return;
    }
    lastHeld = null;
    const { end, report } = { report: undefined, ...outcome };
    const figures = report === undefined ? {} : figuresOf(report);
    log[level]({ ...end, ...figures, ...('reason' in outcome ? { reason: outcome.reason } : {}) }, message);
    const last: EndedRun = { end, report };
    if (outcome.kind === 'done') success = outcome;
    try {
      await writeWeeklyMetrics(metricsFile.path, metricsFile.shard, last, success);
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'the metrics file cannot be written');
    }
  };
}

/** What the line in the log has: there can be thousands of workspaces with a snapshot or a newest cycle. */
function figuresOf(report: WeeklyReport): object {
  const {
    asOf: _due,
    completeness,
    measurement: _changes,
    snapshots: _ids,
    keptStale: _kept,
    ...figures
  } = report;
  return { ...figures, complete: completeness.percent, stale: countStale(completeness) };
}
