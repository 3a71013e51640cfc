import { Gauge, Registry } from '../../lib/metrics/prometheus.ts';
import type { VerifyReport } from './report.ts';

/**
 * What a verification found, for node_exporter's textfile collector; docs/operations.md says what to watch.
 * @param finishedAt milliseconds since the Unix epoch.
 */
export function verifyMetrics(
  { isIntact, problems, checked }: VerifyReport,
  { finishedAt, seconds }: { finishedAt: number; seconds: number },
): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name: `sightline_verify_${name}`, help, registers: [registry] }).set(value);
  gauge('last_run_timestamp_seconds', 'When the last verification ended.', finishedAt / 1000);
  gauge('last_run_duration_seconds', 'How long it took.', seconds);
  gauge('intact', '1 where nothing was wrong, 0 otherwise.', +isIntact);
  gauge('problems', 'Problems that it found.', problems.length);
  gauge('workspaces', 'Workspaces that it looked at.', checked.workspaces);
  gauge('snapshots', 'Snapshots of them.', checked.snapshots);
  gauge('documents', 'Documents that were compared with their hashes.', checked.documents);
  return registry;
}
