import { Gauge } from '../../lib/metrics/prometheus.ts';
import type { Registry } from '../../lib/metrics/prometheus.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DocumentStatus } from '../documents/documents.ts';

const WEEK_SECONDS = 7 * 86_400;

/** Gauges of the workspaces in use and their snapshots, computed at each scrape. */
export function watchSnapshots(registry: Registry, documents: () => DocumentStatus, clock: Clock): void {
  const registers = [registry];
  const inState = (state: string) => documents().workspaces.filter((workspace) => workspace.state === state);
  new Gauge({
    name: 'sightline_workspaces',
    help: 'Workspaces in use, by state: current, kept (the last good snapshot, a newer one cannot be read), none.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of ['current', 'kept', 'none']) this.set({ state }, inState(state).length);
    },
  }).reset();
  const ageOf = (asOf: number) => (clock.now() - asOf) / 1000;
  new Gauge({
    name: 'sightline_snapshot_age_seconds',
    help: 'Age of the oldest snapshot in service, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const state of ['current', 'kept']) {
        const asOf = inState(state).flatMap((workspace) => workspace.asOf ?? []);
        if (asOf.length > 0) this.set({ state }, ageOf(Math.min(...asOf)));
      }
    },
  }).reset();
  new Gauge({
    name: 'sightline_old_snapshot_age_seconds',
    // Only those: 10,000 workspaces with this week's snapshot would be 10,000 lines in each scrape.
    help: 'Age of each snapshot in service that is older than a week, or from the future (negative), by workspace.',
    labelNames: ['workspace'],
    registers,
    collect() {
      this.reset();
      for (const { workspaceId: workspace, asOf } of documents().workspaces)
        if (asOf !== null && (ageOf(asOf) > WEEK_SECONDS || ageOf(asOf) < 0))
          this.set({ workspace }, ageOf(asOf));
    },
  }).reset();
}
