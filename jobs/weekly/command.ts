import { Command, InvalidArgumentError, Option } from 'commander';
import { progressBar } from '../../lib/cli.ts';
import type { Progress } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { configuredSigner, configuredTrust } from '../../snapshots/signing.ts';
import { openStore } from '../../lib/store/open.ts';
import { asOfOption, lakeOption, readCron, storeOption, timezoneOption, wholeNumber } from '../options.ts';
import { cronSchedule } from '../schedule/cron.ts';
import { newestCyclesOf, writeWeeklyMetrics } from './report/metrics.ts';
import { printReport } from './report/print.ts';
import { indexedShard, parseShard } from './shard.ts';
import type { Shard } from './shard.ts';
import { unpublishedText } from './report/unpublished.ts';
import { weekly } from './weekly.ts';
import type { WeeklyReport } from './report/report.ts';
import type { WeeklyOptions } from './weekly.ts';

/** The options that `weekly` and `schedule` share. */
export interface RunOptions {
  lake: StoreLocation;
  store: StoreLocation;
  workspace?: string[];
  shard?: Shard;
  /** The number of shards; `JOB_COMPLETION_INDEX` or `AWS_BATCH_JOB_ARRAY_INDEX` says which one this is. */
  shards?: number;
  full?: true;
  requireComplete?: number;
  allowShrink?: true;
}

interface Options extends RunOptions {
  asOf?: Micros;
  due?: string;
  timezone: string;
  adopt?: string;
  metricsFile?: string;
  json?: true;
}

/** Adds the options of {@link RunOptions}. */
export function withRunOptions(command: Command): Command {
  return command
    .addOption(lakeOption())
    .addOption(storeOption())
    .option('--workspace <id>', 'only this workspace (may be repeated)', collectIds)
    .addOption(
      new Option('--shard <I/N>', 'only the workspaces of the I-th of N shards').argParser(readShard),
    )
    .addOption(
      new Option(
        '--shards <N>',
        'one of N shards: the one in JOB_COMPLETION_INDEX (Indexed Job of Kubernetes) or AWS_BATCH_JOB_ARRAY_INDEX (array job of AWS Batch), from 0',
      )
        .argParser(wholeNumber(1, 999_999))
        .conflicts('shard'),
    )
    .option('--full', 'compute everything from the raw runs, not from the stored facts of earlier weeks')
    .option(
      '--require-complete <percent>',
      'publish a workspace only if at least this much of its newest week was delivered',
      readPercent,
    )
    .option(
      '--allow-shrink',
      'publish workspaces that lose more than half of their brands, and retire those that are no longer tracked',
    );
}

/** The settings of a run without its instant. */
export async function runSettings(options: RunOptions): Promise<Omit<WeeklyOptions, 'asOf'>> {
  const { workspace, full, requireComplete, allowShrink } = options;
  return {
    ...(await configuredKeys()),
    lake: openStore(options.lake),
    store: openStore(options.store),
    workspaces: workspace,
    shard: shardOf(options),
    full,
    requireComplete,
    allowShrink,
  };
}

/** @throws Failure if `--shards` is given without the variable that says which one this is. */
function shardOf({ shard, shards }: RunOptions): Shard | undefined {
  if (shards === undefined) return shard;
  const { JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX } = readConfig();
  return indexedShard({ JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX }, shards);
}

/** The key to sign with, and the keys that may have signed the previous snapshot. */
async function configuredKeys(): Promise<Pick<WeeklyOptions, 'signer' | 'trust'>> {
  const config = readConfig();
  const signer = await configuredSigner(config);
  if (signer === undefined) return {};
  return { signer, trust: new Map([...signer.trust, ...((await configuredTrust(config)) ?? [])]) };
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

function collectIds(text: string, before: string[] = []): string[] {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('expected a UUID.');
  return [...before, text.toLowerCase()];
}

function readShard(text: string): Shard {
  const shard = parseShard(text);
  if (shard === null) throw new InvalidArgumentError('expected I/N with I from 1 to N.');
  return shard;
}

function readPercent(text: string): number {
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('expected a number from 0 to 100.');
  return Number(text);
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
