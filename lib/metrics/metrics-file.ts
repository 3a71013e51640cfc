import { replaceFile } from '../files/replace-file.ts';
import type { Registry } from './prometheus.ts';

/**
 * Replaces the file that node_exporter's textfile collector reads. It reads *.prom only, never the unfinished file.
 * @throws Failure that names it where it cannot be written.
 */
export async function writeMetricsFile(path: string, registry: Registry): Promise<void> {
  await replaceFile(path, await registry.metrics());
}
