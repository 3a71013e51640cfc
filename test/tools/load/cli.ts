import { Command, InvalidArgumentError } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { runLoad } from './run.ts';
import { printVerdict } from './report.ts';
import type { LoadOptions } from './types.ts';

function loadCommand(): Command {
  return new Command('load')
    .description(
      'Asks a gateway at a constant rate, whether it keeps up or not, over all operations on current documents, and checks every answer.',
    )
    .requiredOption('--url <url>', 'where the gateway is, such as http://127.0.0.1:8080', url)
    .requiredOption('--key <key...>', 'keys that take turns')
    .option('--rate <n>', 'requests per second', positive, 100)
    .option('--duration <seconds>', 'for how long', positive, 10)
    .option('--connections <n>', 'connections at most', positive, 64)
    .option('--conditional <share>', 'share of requests that send the ETag of what they have', share, 0.5)
    .option('--wrong-keys <share>', 'share of requests with a key that does not exist', share, 0)
    .option('--unknown-brands <share>', 'share of requests for a brand that does not exist', share, 0)
    .option('--history <share>', 'share of requests that read the history, over all its snapshots', share, 0)
    .option('--limited-key <key...>', 'keys of workspaces whose limit will be hit: 429 is right for them')
    .option('--limited <share>', 'share of requests with such a key', share, 0)
    .option('--sample <share>', 'share of bodies that are read and checked against their schema', share, 0.02)
    .option('--p50 <ms>', 'objective: half of the answers within', positive)
    .option('--p99 <ms>', 'objective: 99 % of the answers within', positive)
    .option('--errors <share>', 'objective: share of wrong answers at most', share, 0)
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
