import { addTo, countOf, edgeOf, percentile, sorted } from './histogram.ts';
import type { Histogram } from './histogram.ts';
import type { GatewayUsage } from './gateway-metrics.ts';
import type { Tally } from './tally.ts';
import type { LoadOptions } from './types.ts';
import { attainedRate, judge } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** Milliseconds from the due times of requests to the ends of their responses. */
export type Latency = Record<'p50' | 'p90' | 'p99' | 'p99.9' | 'max', number>;

export interface Report extends Verdict {
  requests: number;
  wantedRate: number;
  /** Requests sent a second, over the time of sending. */
  rate: number;
  statuses: Record<string, number>;
  /** Of successes (200 and 304). */
  latency: Latency;
  /** Of responses with another status, such as 429. */
  refusals: { requests: number; latency: Latency };
  byOperation: { operation: string; requests: number; p50: number; p99: number }[];
  /** Successes by the second in which they were due, as pairs of an upper edge in milliseconds and a number. */
  seconds: { second: number; requests: number; histogram: [ms: number, requests: number][] }[];
  wrong: number;
  /** The most frequent complaints, with their numbers. */
  complaints: { complaint: string; times: number }[];
  tester: {
    processes: number;
    /** Milliseconds (p99) from the due time of a request until it was taken up. */
    lag: number;
    /** The share of the time of sending in which the event loop was busy. */
    utilization: number;
    cpuSeconds: number;
    cpuMsPerRequest: number;
  };
  /** Or why its metrics cannot be read. */
  gateway: (GatewayUsage & { cpuMsPerRequest: number }) | string;
}

const MOST_COMPLAINTS = 10;

export function summarize(
  options: LoadOptions,
  processes: number,
  tally: Tally,
  gateway: GatewayUsage | string,
): Report {
  const { utilization, cpuSeconds } = tally;
  const successes: Histogram = new Map();
  for (const histogram of tally.seconds.values()) addTo(successes, histogram);
  return {
    ...judge(options, tally, successes, gateway),
    requests: tally.due,
    wantedRate: options.rate,
    rate: attainedRate(tally),
    statuses: Object.fromEntries(tally.statuses),
    latency: latencyOf(successes),
    refusals: { requests: countOf(tally.refusals), latency: latencyOf(tally.refusals) },
    byOperation: [...tally.operations].map(([operation, histogram]) => {
      const { p50, p99 } = latencyOf(histogram);
      return { operation, requests: countOf(histogram), p50, p99 };
    }),
    seconds: [...tally.seconds]
      .toSorted(([a], [b]) => a - b)
      .map(([second, histogram]) => ({
        second,
        requests: countOf(histogram),
        histogram: sorted(histogram).map(([bucket, times]) => [edgeOf(bucket), times]),
      })),
    wrong: countOf(tally.complaints),
    complaints: [...tally.complaints]
      .map(([complaint, times]) => ({ complaint, times }))
      .toSorted((a, b) => b.times - a.times)
      .slice(0, MOST_COMPLAINTS),
    tester: {
      processes,
      lag: percentile(tally.lag, 0.99),
      utilization,
      cpuSeconds,
      cpuMsPerRequest: (cpuSeconds / tally.due) * 1000,
    },
    gateway:
      typeof gateway === 'string'
        ? gateway
        : { ...gateway, cpuMsPerRequest: (gateway.cpuSeconds / gateway.requests) * 1000 },
  };
}

function latencyOf(histogram: Histogram): Latency {
  return {
    p50: percentile(histogram, 0.5),
    p90: percentile(histogram, 0.9),
    p99: percentile(histogram, 0.99),
    'p99.9': percentile(histogram, 0.999),
    max: percentile(histogram, 1),
  };
}
