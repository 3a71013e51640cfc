import { countOf, percentile } from './histogram.ts';
import type { Histogram } from './histogram.ts';
import type { GatewayUsage } from './gateway-metrics.ts';
import type { Sent } from './senders.ts';
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
export function attainedRate({ tally }: Sent): number {
  return tally.sendingMs === 0 ? 0 : (tally.sent / tally.sendingMs) * 1000;
}

/** A verdict on the gateway is given only if the load tester sent what it should. */
export function judge(
  options: LoadOptions,
  sent: Sent,
  successes: Histogram,
  gateway: GatewayUsage | string,
): Verdict {
  const share = attainedRate(sent) / options.rate;
  const lag = percentile(sent.tally.lag, 0.99);
  const own = [
    {
      objective: `at least ${percent(options.attained)} of the rate sent`,
      measured: share,
      held: share >= options.attained,
    },
    {
      objective: `lag of sending (p99) below ${options.lag} ms`,
      measured: lag,
      held: lag < options.lag,
    },
  ];
  const others = objectivesOfGateway(options, sent, successes);
  const limit = limitOf(sent, own, others, gateway);
  return {
    objectives: [...own, ...others.map((each) => (limit === 'tester' ? { ...each, held: null } : each))],
    passed: limit === null,
    limit,
    reason: limit === null ? '' : reasonFor(limit, options, sent, own[0]!.held, gateway),
  };
}

function objectivesOfGateway(
  { errors, p50, p99 }: LoadOptions,
  { tally }: Sent,
  successes: Histogram,
): Objective[] {
  const wrong = countOf(tally.complaints) / tally.due;
  const latencies = { p50: [p50, 0.5], p99: [p99, 0.99] } as const;
  return [
    { objective: `wrong responses at most ${percent(errors)}`, measured: wrong, held: wrong <= errors },
    ...Object.entries(latencies).flatMap(([name, [limit, share]]) => {
      const measured = percentile(successes, share);
      return limit === undefined
        ? []
        : [{ objective: `${name} within ${limit} ms`, measured, held: measured <= limit }];
    }),
  ];
}

function limitOf(
  { tally, utilization }: Sent,
  [attained, lag]: Objective[],
  others: Objective[],
  gateway: GatewayUsage | string,
): Limit | null {
  const isKept = tally.waited / tally.due < MANY_WAITED || utilization >= BUSY;
  if (!lag!.held || (!attained!.held && isKept)) return 'tester';
  if (attained!.held && others.every(({ held }) => held)) return null;
  const isOfRecords =
    typeof gateway !== 'string' && gateway.cpuShare < MOSTLY && gateway.recordsShare >= MOSTLY;
  return isOfRecords ? 'records' : 'gateway';
}

function reasonFor(
  limit: Limit,
  { rate, connections }: LoadOptions,
  sent: Sent,
  isAttained: boolean,
  gateway: GatewayUsage | string,
): string {
  const rates = `${whole(attainedRate(sent))} of ${whole(rate)} a second`;
  const busy = `event loop ${percent(sent.utilization)} busy`;
  if (limit === 'tester') {
    const lag = percentile(sent.tally.lag, 0.99).toFixed(1);
    return `the load tester was the limit: ${rates}, ${lag} ms late (p99), ${busy}`;
  }
  const what = isAttained
    ? `${rates}, and an objective was missed`
    : `${rates}, because all ${connections} connections waited for responses`;
  if (limit === 'records')
    return `the records were the limit: ${what}; the gateway waited for them ${percent((gateway as GatewayUsage).recordsShare)} of the time`;
  const unknown = typeof gateway === 'string' ? ', or its records (--metrics tells which),' : '';
  return `the gateway${unknown} was the limit: ${what}`;
}

export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
