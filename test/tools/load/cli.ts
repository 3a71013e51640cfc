import { Command, InvalidArgumentError } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { writePlan } from './plan-file.ts';
import { printRamp, printReport } from './print.ts';
import { runLoad, runRamp } from './run.ts';
import type { LoadOptions } from './types.ts';

type Options = LoadOptions & { ramp: boolean; plan?: string; json: boolean };

function loadCommand(): Command {
  const command = new Command('load')
    .description(
      'Sends requests for all current documents to a gateway at a constant rate, even if it does not keep up, and checks every response. Exits with status 1 if an objective is missed, and says whether the load tester, the gateway or its records were the limit.',
    )
    .requiredOption('--url <url>', 'the address of the gateway, such as http://127.0.0.1:8080', url)
    .requiredOption('--key <key...>', 'keys that take turns')
    .option('--rate <n>', 'requests per second', positive, 100)
    .option('--duration <seconds>', 'for how long', positive, 10)
    .option('--ramp', 'find the highest rate that keeps the objectives, beginning with --rate', false)
    .option('--plan <file>', 'write the requests as vegeta reads them (-format=json), and send none')
    .option('--connections <n>', 'maximum number of connections', count, 64)
    .option('--time-limit <seconds>', 'a request without a response after this time is wrong', positive, 10)
    .option('--processes <n>', 'sending processes (default: as many as rate and cores need)', count)
    .option('--metrics <url>', 'metrics of the gateway (default: port 9464, if it is on this machine)', url);
  return withObjectives(withMix(command)).option('--json', 'print JSON', false).action(run);
}

function withMix(command: Command): Command {
  return command
    .option('--conditional <share>', 'share of requests with the ETag of an earlier response', share, 0.5)
    .option('--wrong-keys <share>', 'share of requests with a key that does not exist', share, 0)
    .option('--unknown-brands <share>', 'share of requests for a brand that does not exist', share, 0)
    .option('--history <share>', 'share of requests for documents of earlier snapshots', share, 0)
    .option(
      '--limited-key <key...>',
      'keys of workspaces that will exceed their allowance: 429 is correct for them',
    )
    .option('--limited <share>', 'share of requests with such a key', share, 0)
    .option('--sample <share>', 'share of bodies that are checked against their schema', share, 0.02);
}

function withObjectives(command: Command): Command {
  return command
    .option('--attained <share>', 'objective: minimum share of the rate that is sent', share, 0.99)
    .option('--lag <ms>', 'objective: the 99th percentile of the lag of sending is below', positive, 10)
    .option('--p50 <ms>', 'objective: maximum median latency', positive)
    .option('--p99 <ms>', 'objective: maximum 99th percentile of the latency', positive)
    .option('--errors <share>', 'objective: maximum share of wrong responses', share, 0);
}

function announce(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function run({ ramp, plan, json, ...options }: Options): Promise<void> {
  if (plan !== undefined) {
    await writePlan(plan, options);
    return;
  }
  const result = ramp ? await runRamp(options, announce) : await runLoad(options, announce);
  if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else if ('steps' in result) printRamp(result);
  else printReport(result);
  if ('steps' in result ? result.highest === null : !result.passed) process.exitCode = 1;
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

function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number above 0.');
  return Number(text);
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('expected a number from 0 to 1.');
  return value;
}

await runCommand(loadCommand, process.argv);
