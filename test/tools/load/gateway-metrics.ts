import { reasonOf } from '../../../lib/failure.ts';

/** Sums since the start of a gateway, from its metrics. */
interface GatewaySums {
  cpuSeconds: number;
  requests: number;
  /** Seconds that batches of requests waited for the records. */
  recordsSeconds: number;
}

/** The gateway's part of a load. */
export interface GatewayUsage {
  requests: number;
  cpuSeconds: number;
  /** The share of the time in which it used a core. */
  cpuShare: number;
  /** The share of the time in which it waited for its records. */
  recordsShare: number;
}

/**
 * Reads the metrics of a gateway.
 * @returns why they cannot be read, if they cannot
 */
export async function readGatewaySums(metricsUrl: string): Promise<GatewaySums | string> {
  try {
    const response = await fetch(new URL('/metrics', metricsUrl), { signal: AbortSignal.timeout(5000) });
    const text = await response.text();
    if (!text.includes('sightline_process_cpu_seconds_total')) return 'no metrics of a gateway';
    return {
      cpuSeconds: sumOfMetric(text, 'sightline_process_cpu_seconds_total'),
      requests: sumOfMetric(text, 'sightline_requests_total'),
      recordsSeconds: sumOfMetric(text, 'sightline_admission_wait_seconds_sum'),
    };
  } catch (error) {
    return reasonOf((error as Error).cause ?? error);
  }
}

/** The sum over all labels. */
function sumOfMetric(text: string, name: string): number {
  const values = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'));
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/**
 * What the gateway used between two readings.
 * @returns why that is not known: these metrics count fewer requests than it answered, so they are of another gateway
 */
export function usageBetween(
  before: GatewaySums | string,
  after: GatewaySums | string,
  seconds: number,
  answered: number,
): GatewayUsage | string {
  if (typeof before === 'string') return before;
  if (typeof after === 'string') return after;
  const requests = after.requests - before.requests;
  if (requests < answered) return `the metrics count ${requests} requests, and ${answered} were answered`;
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  const recordsShare = (after.recordsSeconds - before.recordsSeconds) / seconds;
  return { requests, cpuSeconds, cpuShare: cpuSeconds / seconds, recordsShare };
}
