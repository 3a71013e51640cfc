import type { Registry } from 'prom-client';
import { replaceFile } from '../files/replace-file.ts';

/** Metrics in Prometheus' text format. The only file that imports the library. */
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Replaces a file for node_exporter's textfile collector. The collector reads *.prom only, so never a partial file.
 * @throws Failure that names the file if it cannot be written.
 */
export async function writeMetricsFile(path: string, registry: Registry): Promise<void> {
  await replaceFile(path, await registry.metrics());
}
