import { Counter, Gauge } from '../../lib/metrics/prometheus.ts';
import type { Registry } from '../../lib/metrics/prometheus.ts';
import { dependencyNames } from './dependencies.ts';
import type { DependencyStates } from './dependencies.ts';

export interface ProcessSources {
  dependencies: () => Promise<DependencyStates>;
  /** Lines of the log that could not be written so far. */
  droppedLogLines: () => number;
}

/** What the gateway depends on. Store and records are asked with each scrape. */
export function watchProcess(registry: Registry, { dependencies, droppedLogLines }: ProcessSources): void {
  const registers = [registry];
  const up = new Gauge({
    name: 'sightline_dependency_up',
    help: '1 where the store, or the records, answered when this was scraped, otherwise 0.',
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
    help: 'Log lines that standard output did not take.',
    registers,
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  dropped.reset();
}
