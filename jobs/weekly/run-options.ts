import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { uuidArgument } from '../../lib/cli.ts';
import { withCommitParts } from '../../snapshots/log/write/parts.ts';
import { cachedLake } from '../lake/cache.ts';
import { lakeOption, readPercent, storeOption, wholeNumber } from '../options.ts';
import { indexedShard } from './shard.ts';
import type { Shard } from './shard.ts';
import type { WeeklyOptions } from './weekly.ts';

/** The options that `weekly` and `schedule` share. */
export interface RunOptions {
  lake: StoreLocation;
  store: StoreLocation;
  workspace?: string[];
  shard?: Shard;
  /** The number of shards; a variable says which one this is. */
  shards?: number;
  requireComplete?: number;
  allowShrink?: true;
  acceptClock?: true;
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
    .option(
      '--require-complete <percent>',
      'publish a workspace only if at least this much of its week was delivered',
      readPercent,
    )
    .option(
      '--allow-shrink',
      'publish workspaces that lose more than half of their brands, and retire those that are no longer tracked',
    );
}

/** Runs work with the settings of a run without its instant; closes store and lake. */
export async function withRunSettings<T>(
  options: RunOptions,
  work: (settings: Omit<WeeklyOptions, 'asOf'>) => Promise<T>,
): Promise<T> {
  const { workspace, requireComplete, allowShrink } = options;
  const shard = shardOf(options);
  const { LAKE_CACHE } = readConfig();
  return await withCommitParts(
    options,
    async ({ lake, ...parts }) =>
      await work({
        ...parts,
        lake: cachedLake(lake, LAKE_CACHE),
        workspaces: workspace,
        shard,
        requireComplete,
        allowShrink,
      }),
    { mayMakeKey: true, acceptClock: options.acceptClock },
  );
}

/** @throws Failure if `--shards` is given without the variable that says which one this is. */
export function shardOf({ shard, shards }: RunOptions): Shard | undefined {
  if (shards === undefined) return shard;
  const { JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX } = readConfig();
  return indexedShard({ JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX }, shards);
}

function collectIds(text: string, before: string[] = []): string[] {
  return [...before, uuidArgument(text)];
}

function readShard(text: string): Shard {
  const [, index, count] = (/^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(text) ?? []).map(Number);
  if (index === undefined || count === undefined || index > count)
    throw new InvalidArgumentError('expected I/N with I from 1 to N.');
  return { index, count };
}
