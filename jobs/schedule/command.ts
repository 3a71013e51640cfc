import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import { systemClock, systemTimer } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { createLogger, stdoutDestination } from '../../lib/log.ts';
import type { Logger } from '../../lib/log.ts';
import { counted } from '../../lib/weeks/names.ts';
import { readCron, timezoneOption, wholeNumber } from '../options.ts';
import { withRunOptions, withRunSettings } from '../weekly/run-options.ts';
import type { RunOptions } from '../weekly/run-options.ts';
import { weekly } from '../weekly/weekly.ts';
import { cronSchedule } from '../cron.ts';
import { journal } from './journal.ts';
import { keepSchedule } from './schedule.ts';
import type { ScheduleOptions } from './schedule.ts';

interface Options extends RunOptions {
  cron: string;
  timezone: string;
  metricsFile?: string;
  leaseSeconds: number;
  retryMinutes: number;
}

export function scheduleCommand(): Command {
  const command = new Command('schedule')
    .description('run weekly on a schedule, one run at a time, and catch up on a missed week')
    .addOption(
      new Option('--cron <expression>', 'when to run: minute, hour, day of month, month, day of week')
        .argParser(readCron)
        .default('0 6 * * 1', 'Monday, 06:00'),
    )
    .addOption(timezoneOption())
    .option('--metrics-file <path>', "write metrics of the last run for node_exporter's textfile collector")
    .option(
      '--lease-seconds <n>',
      'how soon another scheduler takes over after one was killed',
      wholeNumber(1, 3600),
      60,
    )
    .option('--retry-minutes <n>', 'how soon a failed run is retried', wholeNumber(1, 1440), 15)
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const interrupted = await withRunSettings(options, async (run) => await keep(options, run));
      if (interrupted === null) return;
      throw new Failure(
        `stopped in the middle of the run for ${new Date(interrupted).toISOString()}: nothing is half done, and the next start begins it again`,
      );
    });
  return withRunOptions(command);
}

const HELP = `
The snapshots are as of the scheduled instant, no matter when the run happens. Each attempt writes one line of JSON to
standard output. SIGTERM ends the scheduler: with status 0 if no run was active, otherwise with 1. Each workspace then
has the new snapshot or the previous one. docs/architecture.md has the details.`;

/** Returns the instant whose run was cut short; null if there was none. */
async function keep(options: Options, run: ScheduleOptions['run']): Promise<number | null> {
  const config = readConfig();
  const { LOG_LEVEL, SHUTDOWN_SECONDS } = config;
  const log = createLogger(LOG_LEVEL, stdoutDestination());
  const { cron, timezone, metricsFile, leaseSeconds, retryMinutes } = options;
  const schedule: ScheduleOptions = {
    run,
    scope: scopeOf(run),
    cron: cronSchedule(cron, timezone),
    leaseMs: leaseSeconds * 1000,
    retryMs: retryMinutes * 60_000,
    host: hostname(),
    pid: process.pid,
    clock: systemClock,
    timer: systemTimer,
    weekly,
  };
  using stop = stopOnSignals(log, SHUTDOWN_SECONDS);
  log.info({ cron, timezone, lake: run.lake.url, store: run.store.url, scope: schedule.scope }, 'scheduled');
  const outcomes = journal(log, { path: metricsFile, shard: run.shard });
  const interrupted = await keepSchedule(schedule, outcomes, stop.signal);
  log.info('stopped');
  return interrupted;
}

/** The name of a choice of workspaces. Schedulers of one scope take turns; each shard has a schedule of its own. */
function scopeOf({ workspaces, shard }: ScheduleOptions['run']): string {
  const parts: string[] = [];
  if (shard !== undefined) parts.push(`shard-${shard.index}-of-${shard.count}`);
  if (workspaces !== undefined) {
    const ids = [...new Set(workspaces)].toSorted().join(' ');
    parts.push(`workspaces-${sha256(ids).slice(0, 16)}`);
  }
  return parts.length === 0 ? 'all' : parts.join('-');
}

/**
 * Aborted by SIGTERM and SIGINT. A process that has not ended some seconds after that is ended: a store that does not answer
 * must not keep it, also after the schedule has stopped, and a reader never sees anything half done.
 */
function stopOnSignals(log: Logger, seconds: number): { signal: AbortSignal } & Disposable {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    stop.abort();
    setTimeout(exitStuck, seconds * 1000, seconds).unref();
  };
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, onSignal);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function exitStuck(seconds: number): never {
  const limit = counted(seconds, 'second');
  process.stderr.write(`sightline: did not stop within ${limit}, and was ended; nothing is half done\n`);
  process.exit(1);
}
