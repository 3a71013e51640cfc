import { hostname } from 'node:os';
import { Command, Option } from 'commander';
import { progressBar } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { Failure, Unreachable } from '../../lib/failure.ts';
import { formatInstant } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOfOption, readCron, timezoneOption } from '../options.ts';
import { cronSchedule } from '../cron.ts';
import { writeWeeklyMetrics } from './report/metrics.ts';
import { printReport } from './report/print.ts';
import { shardOf, withRunOptions, withRunSettings } from './run-options.ts';
import type { RunOptions } from './run-options.ts';
import { isOutage, unpublishedText } from './report/outcome.ts';
import { weekly } from './weekly.ts';
import { endOf } from './report/report.ts';
import type { WeeklyReport } from './report/report.ts';

interface Options extends RunOptions {
  asOf?: Micros;
  due?: string;
  timezone: string;
  metricsFile?: string;
  json?: true;
}

export function weeklyCommand(): Command {
  return withRunOptions(new Command('weekly'))
    .description('compute and publish the snapshots of the workspaces')
    .addOption(asOfOption())
    .addOption(
      new Option('--due <cron>', 'as of the last instant of this schedule, such as "0 6 * * 1"')
        .argParser(readCron)
        .conflicts('asOf'),
    )
    .addOption(timezoneOption())
    .option('--accept-clock', 'the clock is right, although it is far from the newest entry of the log')
    .option('--json', 'print the report as JSON')
    .option('--metrics-file <path>', "write metrics of the run for node_exporter's textfile collector")
    .action(async (options: Options) => {
      const startedAt = systemClock.now();
      const asOf = instantOf(options, startedAt);
      const end = () => endOf({ due: formatInstant(asOf), startedAt, host: hostname() }, systemClock);
      const [file, shard] = [options.metricsFile, shardOf(options)];
      const report = await withProgress(options, asOf).catch(async (error: unknown) => {
        // The error of the run is what matters.
        await writeWeeklyMetrics(file, shard, { end: end() }, null).catch(() => undefined);
        throw error;
      });
      const run = { end: end(), report };
      const { seconds } = run.end;
      if (options.json) process.stdout.write(`${JSON.stringify({ ...report, seconds })}\n`);
      else printReport(report, seconds);
      const { unpublished } = report;
      const complaint = unpublishedText(unpublished, report.workspaces);
      await writeWeeklyMetrics(file, shard, run, complaint === null ? run : null);
      if (complaint === null) return;
      throw new (isOutage(unpublished, report.workspaces) ? Unreachable : Failure)(complaint);
    });
}

/** @param now in milliseconds */
function instantOf({ asOf, due, timezone }: Options, now: number): Micros {
  if (due === undefined) return asOf ?? BigInt(now) * 1000n;
  const last = cronSchedule(due, timezone).lastDue(-Infinity, now);
  if (last === null) throw new Failure(`"${due}" was not due in the last 400 days`);
  return BigInt(last) * 1000n;
}

async function withProgress(options: Options, asOf: Micros): Promise<WeeklyReport> {
  using bar = progressBar('publish, workspaces');
  return await withRunSettings(options, async (settings) => {
    const report = await weekly(
      { ...settings, asOf, keepNewer: options.due !== undefined },
      {
        onStart: (workspaces) => bar.start(workspaces),
        onWorkspace: () => bar.increment(),
        onWarning: warn,
      },
    );
    return report;
  });
}

function warn(message: string): void {
  process.stderr.write(`sightline: ${message}\n`);
}
