import { Command, InvalidArgumentError, Option } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import type { Progress } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import type { Micros } from '../../lib/instant.ts';
import { readSigner } from '../../lib/signing.ts';
import { openStore } from '../../lib/store/open.ts';
import { asOfOption, lakeOption, storeOption } from '../options.ts';
import { parseShard } from './shard.ts';
import type { Shard } from './shard.ts';
import { weekly } from './weekly.ts';
import type { WeeklyReport } from './weekly.ts';

interface Options {
  lake: StoreLocation;
  store: StoreLocation;
  asOf?: Micros;
  workspace?: string[];
  shard?: Shard;
  full?: true;
  json?: true;
}

export function weeklyCommand(): Command {
  return new Command('weekly')
    .description('compute and publish the snapshots of the workspaces')
    .addOption(lakeOption())
    .addOption(storeOption())
    .addOption(asOfOption())
    .option('--workspace <id>', 'only this workspace (may be given more than once)', collectIds)
    .addOption(
      new Option('--shard <I/N>', 'only the I-th of N shares of the workspaces').argParser(readShard),
    )
    .option('--full', 'compute everything from the raw runs, without the facts kept of earlier weeks')
    .option('--json', 'print the report as JSON')
    .action(async (options: Options) => {
      const started = performance.now();
      const report = await withProgress(options);
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      if (options.json) process.stdout.write(`${JSON.stringify({ ...report, seconds })}\n`);
      else printReport(report, seconds);
    });
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

async function withProgress({ lake, store, asOf, workspace, shard, full }: Options): Promise<WeeklyReport> {
  const { SIGNING_KEY_FILE } = readConfig();
  const signer = SIGNING_KEY_FILE === undefined ? undefined : await readSigner(SIGNING_KEY_FILE);
  let bar: Progress | undefined;
  try {
    return await weekly(
      {
        signer,
        lake: openStore(lake),
        store: openStore(store),
        asOf: asOf ?? BigInt(systemClock.now()) * 1000n,
        full: full === true,
        ...(workspace === undefined ? {} : { workspaces: workspace }),
        ...(shard === undefined ? {} : { shard }),
      },
      {
        onStart: (workspaces) => (bar = progressBar('publish, workspaces', workspaces)),
        onWorkspace: () => bar?.increment(),
      },
    );
  } finally {
    bar?.stop();
  }
}

function printReport(report: WeeklyReport, seconds: number): void {
  const { workspaces, brands, documents, bytes, refused, orphaned, unchanged } = report;
  printTable([
    {
      workspaces,
      brands,
      documents,
      bytes,
      new: report.new,
      unchanged,
      refused,
      orphaned: orphaned.runs,
      seconds,
    },
  ]);
  const others = (['prompts', 'competitors', 'brands'] as const).filter((kind) => orphaned[kind] > 0);
  if (others.length > 0) {
    const counts = others.map((kind) => `${orphaned[kind]} ${kind}`).join(', ');
    process.stdout.write(`\nAlso orphaned, because what they belong to is not tracked: ${counts}.\n`);
  }
}
