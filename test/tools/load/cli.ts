import { Command, InvalidArgumentError } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { runLoad } from './run.ts';
import { printVerdict } from './report.ts';
import type { LoadOptions } from './types.ts';

function loadCommand(): Command {
  return new Command('load')
    .description(
      'Sends requests for all current documents to a gateway at a constant rate, even if it does not keep up, and checks every response.',
    )
    .requiredOption('--url <url>', 'the address of the gateway, such as http://127.0.0.1:8080', url)
    .requiredOption('--key <key...>', 'keys that take turns')
    .option('--rate <n>', 'requests per second', positive, 100)
    .option('--duration <seconds>', 'for how long', positive, 10)
    .option('--connections <n>', 'maximum number of connections', positive, 64)
    .option('--conditional <share>', 'share of requests with the ETag of an earlier response', share, 0.5)
    .option('--wrong-keys <share>', 'share of requests with a key that does not exist', share, 0)
    .option('--unknown-brands <share>', 'share of requests for a brand that does not exist', share, 0)
    .option('--history <share>', 'share of requests for documents of earlier snapshots', share, 0)
    .option(
      '--limited-key <key...>',
      'keys of workspaces that will exceed their allowance: 429 is correct for them',
    )
    .option('--limited <share>', 'share of requests with such a key', share, 0)
    .option('--sample <share>', 'share of bodies that are checked against their schema', share, 0.02)
    .option('--p50 <ms>', 'objective: maximum median latency', positive)
    .option('--p99 <ms>', 'objective: maximum 99th percentile of the latency', positive)
    .option('--errors <share>', 'objective: maximum share of wrong responses', share, 0)
    .option('--json', 'print JSON', false)
    .action(async (options: LoadOptions & { json: boolean }) => {
      const report = await runLoad(options);
      printVerdict(report, options.json);
      if (!report.passed) process.exitCode = 1;
    });
}

function url(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('expected an http(s) address.');
  }
  return text.replace(/\/+$/, '');
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || value > 1e7) throw new InvalidArgumentError('expected a number above 0.');
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('expected a number from 0 to 1.');
  return value;
}

await runCommand(loadCommand, process.argv);
