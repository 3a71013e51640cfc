import { Command } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOfOption, wholeNumber } from '../options.ts';
import { makeDemo } from './demo.ts';
import type { DemoOptions, DropFile } from './demo.ts';

interface Options extends Omit<DemoOptions, 'asOf'> {
  asOf?: Micros;
  json?: true;
}

export function demoCommand(clock: Clock = systemClock): Command {
  return new Command('demo')
    .description('write a synthetic drop: invented brands, prompts of buyers, and answers of the engines')
    .requiredOption('--to <drop>', 'the folder to write; one that is not empty is refused')
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
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async ({ json, asOf = BigInt(clock.now()) * 1000n, ...options }: Options) => {
      const start = performance.now();
      using bar = progressBar('demo, brands');
      bar.start(options.brands);
      const files = await makeDemo({ ...options, asOf }, () => bar.increment());
      const seconds = (performance.now() - start) / 1000;
      if (json) process.stdout.write(`${JSON.stringify({ files, seconds })}\n`);
      else printReport(options.to, files, seconds);
    });
}

const HELP = `
The last cycle is the Monday on or before the as-of instant. Every prompt runs on all eight engines, once per cycle.
Some prompts are paused or were added late, and some runs failed or got no answer. With six or more brands, one brand is
still warming up. With five or more cycles, each workspace has one brand with an alert: an engine's score leaves its
drift band in the last week.
The defaults make 10,000 runs; --brands 400 --prompts 25 makes a million, about 1 GB.`;

function printReport(folder: string, files: readonly DropFile[], seconds: number): void {
  printTable(files.map(({ file, records, bytes }) => ({ file, records, bytes })));
  const records = files.reduce((sum, file) => sum + file.records, 0);
  process.stdout.write(`\n${records} records in ${folder} in ${seconds.toFixed(1)} s\n`);
}
