import { Command, Option } from 'commander';
import { progressBar } from '../../lib/cli.ts';
import type { Progress } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOfOption, readCron, timezoneOption } from '../options.ts';
import { cronSchedule } from '../schedule/cron.ts';
import { newestCyclesOf, writeWeeklyMetrics } from './report/metrics.ts';
import { printReport } from './report/print.ts';
import { runSettings, shardOf, withRunOptions } from './run-options.ts';
import type { RunOptions } from './run-options.ts';
import { unpublishedText } from './report/unpublished.ts';
import { weekly } from './weekly.ts';
import type { WeeklyReport } from './report/report.ts';

interface Options extends RunOptions {
  asOf?: Micros;
  due?: string;
  timezone: string;
  adopt?: string;
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
    .option(
      '--adopt <snapshot>',
      'continue from this snapshot if the job refuses the workspace’s pointer; needs exactly one --workspace',
    )
    .option('--json', 'print the report as JSON')
    .option('--metrics-file <path>', "write metrics of the run for node_exporter's textfile collector")
    .action(async (options: Options, command: Command) => {
      if (options.adopt !== undefined && options.workspace?.length !== 1)
        command.error('error: --adopt needs exactly one --workspace');
      const started = performance.now();
      const seconds = () => Math.round((performance.now() - started) / 100) / 10;
      const asOf = instantOf(options, systemClock.now());
      const writeMetrics = metricsWriter(options, asOf, seconds);
      const report = await withProgress(options, asOf).catch(async (error: unknown) => {
        await writeMetrics(null, false).catch(() => undefined); // why the run failed is what matters
        throw error;
      });
      if (options.json) process.stdout.write(`${JSON.stringify({ ...report, seconds: seconds() })}\n`);
      else printReport(report, seconds());
      const complaint = unpublishedText(report.unpublished, report.workspaces);
      await writeMetrics(report, complaint === null);
      if (complaint !== null) throw new Failure(complaint);
    });
}

/** @param now in milliseconds */
function instantOf({ asOf, due, timezone }: Options, now: number): Micros {
  if (due === undefined) return asOf ?? BigInt(now) * 1000n;
  const last = cronSchedule(due, timezone).lastDue(-Infinity, now);
  if (last === null) throw new Failure(`"${due}" was not due in the last 400 days`);
  return BigInt(last) * 1000n;
}

/** Writes the metrics file of a run, if it has a path; the report is null if the run failed. */
function metricsWriter(options: Options, asOf: Micros, elapsed: () => number) {
  const { metricsFile: path } = options;
  const shard = shardOf(options);
  return async (report: WeeklyReport | null, isSuccess: boolean): Promise<void> => {
    if (path === undefined) return;
    const [finishedAt, due] = [systemClock.now(), Number(asOf / 1000n)];
    const iso = { finishedAt: new Date(finishedAt).toISOString(), due: new Date(due).toISOString() };
    const last = { seconds: elapsed(), complete: report?.completeness.percent ?? null };
    await writeWeeklyMetrics(path, shard, {
      ...last,
      finishedAt,
      due,
      isSuccess,
      unpublished: report?.unpublished ?? null,
      newestCycles: report === null ? {} : newestCyclesOf(report),
      completed: report === null || !isSuccess ? null : { ...report, ...last, ...iso },
    });
  };
}

async function withProgress(options: Options, asOf: Micros): Promise<WeeklyReport> {
  let bar: Progress | undefined;
  try {
    const settings = await runSettings(options);
    return await weekly(
      { ...settings, asOf, adopt: options.adopt, keepNewer: options.due !== undefined },
      {
        onStart: (workspaces) => (bar = progressBar('publish, workspaces', workspaces)),
        onWorkspace: () => bar?.increment(),
        onWarning: (message) => process.stderr.write(`sightline: ${message}\n`),
      },
    );
  } finally {
    bar?.stop();
  }
}
