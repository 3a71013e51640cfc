import { Gauge, Registry, writeMetricsFile } from '../../lib/metrics/prometheus.ts';
import type { VerifyReport } from './report.ts';

/**
 * Writes the result of a verification for node_exporter's textfile collector; docs/operations.md explains its metrics.
 * @param finishedAt milliseconds since the Unix epoch
 * @throws Failure that names the file if it cannot be written
 */
export async function writeVerifyMetrics(
  path: string,
  { isIntact, problems, checked }: VerifyReport,
  { finishedAt, seconds }: { finishedAt: number; seconds: number },
): Promise<void> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name: `sightline_verify_${name}`, help, registers: [registry] }).set(value);
  gauge('last_run_timestamp_seconds', 'When the last verification ended.', finishedAt / 1000);
  gauge('last_run_duration_seconds', 'Duration of the last verification.', seconds);
  gauge('intact', '1 if the last verification found no problems, 0 otherwise.', +isIntact);
  gauge('problems', 'Problems that the last verification found.', problems.length);
  gauge('workspaces', 'Workspaces that the last verification checked.', checked.workspaces);
  gauge('snapshots', 'Snapshots of these workspaces.', checked.snapshots);
  gauge('log_entries', 'Entries of the log.', checked.logEntries);
  gauge('documents', 'Documents that were compared with their hashes.', checked.documents);
  await writeMetricsFile(path, registry);
}
