import { Command, Option } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOfOption, wholeNumber } from '../options.ts';
import { makeDemo } from './demo.ts';
import type { DemoOptions, DropFile } from './demo.ts';

interface Options extends Omit<DemoOptions, 'asOf' | 'format' | 'threads'> {
  asOf?: Micros;
  format: 'ndjson' | 'parquet';
  gzip?: true;
  json?: true;
}

export function demoCommand(clock: Clock = systemClock): Command {
  return new Command('demo')
    .description('write a synthetic drop: invented brands, prompts of buyers, and answers of the engines')
    .requiredOption('--to <drop>', 'the folder to write; one that already contains a drop is refused')
    .option('--seed <n>', 'the same seed gives the same bytes, another seed another drop', wholeNumber(0), 1)
    .option('--workspaces <n>', 'workspaces', wholeNumber(1, 10_000), 3)
    .option(
      '--brands <n>',
      'brands of the whole drop, spread over the workspaces',
      wholeNumber(1, 100_000),
      12,
    )
    .option('--prompts <n>', 'prompts of each brand', wholeNumber(1, 1000), 10)
    .option('--cycles <n>', 'weekly cycles', wholeNumber(1, 520), 12)
    .addOption(asOfOption())
    .addOption(
      new Option('--format <format>', 'format of the files').choices(['ndjson', 'parquet']).default('ndjson'),
    )
    .option('--gzip', 'compress the files (ndjson)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) => {
      if (options.gzip && options.format === 'parquet') {
        command.error('error: --gzip is for ndjson; Parquet files are compressed already');
      }
      const start = clock.now();
      const files = await withProgress(options, clock);
      const seconds = (clock.now() - start) / 1000;
      if (options.json) process.stdout.write(`${JSON.stringify({ files, seconds })}\n`);
      else printReport(options.to, files, seconds);
    });
}

const HELP = `
The last cycle is the Monday on or before the as-of instant. Every prompt runs on all eight engines, once per cycle.
Some prompts are paused or were added late, and some runs failed or got no answer. With six or more brands, one brand is
still warming up. With five or more cycles, each workspace has one brand with an alert: an engine's score leaves its
drift band in the last week.
The defaults make 10,000 runs; --brands 400 --prompts 25 makes a million, about 1 GB.`;

async function withProgress(options: Options, clock: Clock): Promise<DropFile[]> {
  const { gzip, format, asOf = BigInt(clock.now()) * 1000n, ...sizes } = options;
  using bar = progressBar('demo, files');
  return await makeDemo(
    { ...sizes, asOf, format: gzip ? 'ndjson.gz' : format },
    { onStart: (files) => bar.start(files), onFile: () => bar.increment() },
  );
}

function printReport(folder: string, files: readonly DropFile[], seconds: number): void {
  printTable(files.map(({ file, records, bytes }) => ({ file, records, bytes })));
  const records = files.reduce((sum, file) => sum + file.records, 0);
  process.stdout.write(`\n${records} records in ${folder} in ${seconds.toFixed(1)} s\n`);
}
