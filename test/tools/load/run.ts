import { readGatewaySums, usageBetween } from './gateway-metrics.ts';
import { countOf } from './histogram.ts';
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
  const targets = await findTargets(options);
  demandAllowance(targets, options.rate, options.duration / 60);
  return await measure(options, targets, announce);
}

/** Loads with rising rates. @throws Failure before the first, as {@link runLoad} */
export async function runRamp(options: LoadOptions, announce: (line: string) => void): Promise<Ramp> {
  const targets = await findTargets(options);
  demandAllowance(targets, options.rate, 1); // the next step begins in the same minute
  const { rate, perMinute } = targets.allowed;
  const most = { rate: Math.floor(rate), reason: `the workspace allows ${perMinute} a minute` };
  return await findHighestRate(options.rate, most, async (each) => {
    const report = await measure({ ...options, rate: each }, targets, announce);
    announce(report.passed ? 'held' : report.reason);
    return report;
  });
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
  const tally = await sendWithProcesses(options, targets, processes);
  const seconds = (performance.now() - began) / 1000;
  const usage = usageBetween(before, await sums(), seconds, countOf(tally.statuses));
  return summarize(options, processes, tally, usage);
}
