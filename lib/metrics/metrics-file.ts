import { rename, rm, writeFile } from 'node:fs/promises';
import { Failure, reasonOf } from '../failure.ts';
import type { Registry } from './prometheus.ts';

/**
 * Writes the file that node_exporter's textfile collector reads; it is replaced in one step, so that no half of it is
 * ever read.
 * @throws Failure that names it where it cannot be written.
 */
export async function writeMetricsFile(path: string, registry: Registry): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`; // the collector reads *.prom alone
  try {
    await writeFile(unfinished, await registry.metrics());
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new Failure(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
