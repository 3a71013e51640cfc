import { getOnce } from './connection.ts';
import { readGatewaySums, usageBetween } from './gateway-metrics.ts';
import { findHighestRate } from './ramp.ts';
import type { Ramp } from './ramp.ts';
import { summarize } from './report.ts';
import type { Report } from './report.ts';
import { isLoopback, processesFor, sendWithProcesses } from './senders.ts';
import { demandAllowance, findTargets } from './targets.ts';
import type { Targets } from './targets.ts';
import type { LoadOptions } from './types.ts';

/** Where a gateway has its metrics unless METRICS_PORT is set. */
const USUAL_METRICS = 'http://127.0.0.1:9464';

/** One load. @throws Failure before it, if the gateway cannot be reached or an allowance is too small */
export async function runLoad(options: LoadOptions, announce: (line: string) => void): Promise<Report> {
  const targets = await targetsOf(options);
  demandAllowance(targets, options.rate, options.duration / 60);
  return await measure(options, targets, announce);
}

/** Loads with rising rates. @throws Failure before the first, as {@link runLoad} */
export async function runRamp(options: LoadOptions, announce: (line: string) => void): Promise<Ramp> {
  const targets = await targetsOf(options);
  demandAllowance(targets, options.rate, 1); // the next step begins in the same minute
  const { rate, perMinute } = targets.allowed;
  const most = { rate: Math.floor(rate), reason: `the workspace allows ${perMinute} a minute` };
  return await findHighestRate(options.rate, most, async (each) => {
    const report = await measure({ ...options, rate: each }, targets, announce);
    announce(report.passed ? 'held' : report.reason);
    return report;
  });
}

export async function targetsOf(options: LoadOptions): Promise<Targets> {
  return await findTargets(options, (ask) => getOnce(options.url, ask, options.timeLimit));
}

async function measure(
  options: LoadOptions,
  { targets }: Targets,
  announce: (line: string) => void,
): Promise<Report> {
  const { url, rate, duration } = options;
  const processes = processesFor(options);
  announce(`sending ${rate} requests a second for ${duration} s (${processes} sending processes)`);
  const metrics = options.metrics ?? (isLoopback(url) ? USUAL_METRICS : undefined);
  const sums = async () => (metrics === undefined ? 'no --metrics' : await readGatewaySums(metrics));
  const before = await sums();
  const began = performance.now();
  const sent = await sendWithProcesses(options, targets, processes);
  const seconds = (performance.now() - began) / 1000;
  const answered = sent.tally.statuses.values().reduce((sum, times) => sum + times, 0);
  return summarize(options, processes, sent, usageBetween(before, await sums(), seconds, answered));
}
