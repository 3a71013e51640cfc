/** Prometheus' text format, as every part of the project writes it; the only file that knows the library. */
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
