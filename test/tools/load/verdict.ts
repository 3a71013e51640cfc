import { countOf, percentile } from './histogram.ts';
import type { Histogram } from './histogram.ts';
import type { GatewayUsage } from './gateway-metrics.ts';
import type { Tally } from './tally.ts';
import type { LoadOptions } from './types.ts';

export type Limit = 'tester' | 'gateway' | 'records';

export interface Objective {
  objective: string;
  measured: number;
  /** Null: not judged, because the load tester was the limit. */
  held: boolean | null;
}

export interface Verdict {
  objectives: Objective[];
  passed: boolean;
  /** What kept the objectives from being held; null if they were. */
  limit: Limit | null;
  /** The limit in words; '' without one. */
  reason: string;
}

/** Above this share of its time, an event loop that sends late is the cause. */
const BUSY = 0.9;
/** Above this share of requests that waited for a connection, the gateway kept the load tester from sending. */
const MANY_WAITED = 0.01;
/** A gateway that uses less of a core, and spends more of its time on its records, is kept by them. */
const MOSTLY = 0.8;

/** Requests sent a second, over the time of sending. */
export function attainedRate({ sent, sendingMs }: Tally): number {
  return sendingMs === 0 ? 0 : (sent / sendingMs) * 1000;
}

/** A verdict on the gateway is given only if the load tester sent what it should. */
export function judge(
  options: LoadOptions,
  tally: Tally,
  successes: Histogram,
  gateway: GatewayUsage | string,
): Verdict {
  const share = attainedRate(tally) / options.rate;
  const lag = percentile(tally.lag, 0.99);
  const [isAttained, isPunctual] = [share >= options.attained, lag < options.lag];
  const wasKept = tally.waited / tally.due >= MANY_WAITED && tally.utilization < BUSY;
  const isTester = !isPunctual || (!isAttained && !wasKept);
  const others = objectivesOfGateway(options, tally, successes);
  const passed = isPunctual && isAttained && others.every(({ held }) => held);
  const limit = passed ? null : isTester ? 'tester' : limitOfGateway(gateway);
  return {
    objectives: [
      {
        objective: `at least ${percent(options.attained)} of the rate sent`,
        measured: share,
        held: isAttained,
      },
      { objective: `lag of sending (p99) below ${options.lag} ms`, measured: lag, held: isPunctual },
      ...others.map((each) => (isTester ? { ...each, held: null } : each)),
    ],
    passed,
    limit,
    reason: limit === null ? '' : reasonFor(limit, options, tally, isAttained, gateway),
  };
}

function objectivesOfGateway(
  { errors, p50, p99 }: LoadOptions,
  tally: Tally,
  successes: Histogram,
): Objective[] {
  const wrong = countOf(tally.complaints) / tally.due;
  const latency = (name: string, share: number, most: number | undefined) => {
    const measured = percentile(successes, share);
    return most === undefined
      ? []
      : [{ objective: `${name} within ${most} ms`, measured, held: measured <= most }];
  };
  return [
    { objective: `wrong responses at most ${percent(errors)}`, measured: wrong, held: wrong <= errors },
    ...latency('p50', 0.5, p50),
    ...latency('p99', 0.99, p99),
  ];
}

function limitOfGateway(gateway: GatewayUsage | string): Limit {
  if (typeof gateway === 'string') return 'gateway';
  return gateway.cpuShare < MOSTLY && gateway.recordsShare >= MOSTLY ? 'records' : 'gateway';
}

function reasonFor(
  limit: Limit,
  { rate, connections }: LoadOptions,
  tally: Tally,
  isAttained: boolean,
  gateway: GatewayUsage | string,
): string {
  const rates = `${whole(attainedRate(tally))} of ${whole(rate)} a second`;
  if (limit === 'tester') {
    const late = `${percentile(tally.lag, 0.99).toFixed(1)} ms late (p99)`;
    return `the load tester was the limit: ${rates}, ${late}, event loop ${percent(tally.utilization)} busy`;
  }
  const what = isAttained
    ? `${rates}, and an objective was missed`
    : `${rates}, because all ${connections} connections waited for responses`;
  if (typeof gateway === 'string')
    return `the gateway, or its records (--metrics tells which), was the limit: ${what}`;
  const waited = `the gateway waited for them ${percent(gateway.recordsShare)} of the time`;
  return limit === 'records'
    ? `the records were the limit: ${what}; ${waited}`
    : `the gateway was the limit: ${what}`;
}

export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
