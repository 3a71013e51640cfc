import { Counter, Gauge } from '../../lib/metrics/prometheus.ts';
import type { Registry } from '../../lib/metrics/prometheus.ts';
import { dependencyNames } from './dependencies.ts';
import type { DependencyStates } from './dependencies.ts';

export interface ProcessSources {
  dependencies: () => Promise<DependencyStates>;
  /** The number of log lines dropped so far. */
  droppedLogLines: () => number;
}

/** Metrics of the gateway's dependencies and log. Store and records are checked at each scrape. */
export function watchProcess(registry: Registry, { dependencies, droppedLogLines }: ProcessSources): void {
  const registers = [registry];
  const up = new Gauge({
    name: 'sightline_dependency_up',
    help: '1 if the dependency (store or records) responded at the time of the scrape, otherwise 0.',
    labelNames: ['dependency'],
    registers,
    async collect() {
      const states = await dependencies();
      for (const dependency of dependencyNames) this.set({ dependency }, states[dependency] === null ? 1 : 0);
    },
  });
  up.reset();
  const dropped = new Counter({
    name: 'sightline_log_lines_dropped_total',
    help: 'Log lines dropped because standard output did not accept them.',
    registers,
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  dropped.reset();
}
