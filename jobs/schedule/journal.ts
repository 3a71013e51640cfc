import { reasonOf } from '../../lib/failure.ts';
import type { Logger } from '../../lib/log.ts';
import type { Figures } from '../weekly/report/figures.ts';
import { writeWeeklyMetrics } from '../weekly/report/metrics.ts';
import type { Shard } from '../weekly/shard.ts';
import type { Outcome } from './run-due.ts';

const lines = {
  done: ['info', 'weekly run done'],
  'done before': ['info', 'done before'],
  held: ['info', 'another scheduler has the lease'],
  partial: ['error', 'weekly run left workspaces unpublished'],
  failed: ['error', 'weekly run failed'],
  stopped: ['warn', 'weekly run stopped'],
} as const;

/**
 * Reports every attempt: one line in the log, and the metrics file, if it has a path.
 * @param before the last run that was completed until now; null if there is none.
 */
export function journal(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  metricsFile: { path: string | undefined; shard?: Shard | undefined },
  before: Figures | null,
): (outcome: Outcome) => Promise<void> {
  let completed = before;
  let lastReported: string | null = null;
  return async (outcome) => {
    const { kind, run, ...details } = outcome;
    // A lease of another scheduler is looked at every few seconds: one line for all of these attempts.
    const summary = `${kind} ${run.due} ${'holder' in details ? details.holder : ''}`;
    const [level, message] = lines[kind];
    // There can be thousands of workspaces with a newest cycle.
    if (kind !== 'held' || summary !== lastReported)
      log[level]({ ...run, newestCycles: undefined, measurementChanges: undefined, ...details }, message);
    lastReported = summary;
    if (outcome.kind === 'held') return;
    if (outcome.kind === 'done' || outcome.kind === 'done before') completed = outcome.run;
    try {
      await writeWeeklyMetrics(metricsFile.path, metricsFile.shard, outcome, completed);
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'the metrics file cannot be written');
    }
  };
}
