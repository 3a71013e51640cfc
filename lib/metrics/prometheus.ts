/** Metrics in Prometheus' text format. The only file that imports the library. */
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
