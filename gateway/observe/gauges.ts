import { Counter, Gauge } from '../../lib/metrics/prometheus.ts';
import type { Registry } from '../../lib/metrics/prometheus.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DocumentStatus } from '../documents/documents.ts';

/** By name of a service that all gateways share and need: why it does not respond; null if it does. */
export type DependencyStates = Record<string, string | null>;

/** What is read at each scrape. */
export interface MetricSources {
  documents: () => DocumentStatus;
  /** The number of requests that wait for admission. */
  waiting: () => number;
  /** The number of open connections of clients. */
  connections: () => Promise<number>;
  clock: Clock;
  dependencies: () => Promise<DependencyStates>;
  /** The number of log lines dropped so far. */
  droppedLogLines: () => number;
}

/** The value of a metric, or its values by label. */
type Values = number | readonly (readonly [label: string, value: number])[];

const WEEK_SECONDS = 7 * 86_400;

/** Metrics that are computed at each scrape. */
export function watchSources(registry: Registry, sources: MetricSources): void {
  const gauge = readingAtScrape(registry, Gauge);
  const counter = readingAtScrape(registry, Counter);
  const { documents, dependencies } = sources;
  gauge(['admission_waiting'], 'Requests that wait for admission.', sources.waiting);
  gauge(['connections'], 'Open connections of clients, at most 10,000.', sources.connections);
  gauge(['document_cache_bytes'], 'Memory that cached documents take.', () => documents().cachedBytes);
  gauge(
    ['dependency_up', 'dependency'],
    '1 if the records respond now, and if the last look at the log in the store was good; otherwise 0.',
    async () => Object.entries(await dependencies()).map(([name, reason]) => [name, reason === null ? 1 : 0]),
  );
  counter(
    ['log_lines_dropped_total'],
    'Log lines dropped because standard output did not accept them.',
    sources.droppedLogLines,
  );
  watchSnapshots(registry, sources);
}

/** Of the workspaces in use. */
function watchSnapshots(registry: Registry, { documents, clock }: MetricSources): void {
  const gauge = readingAtScrape(registry, Gauge);
  const inState = (state: string) => documents().workspaces.filter((workspace) => workspace.state === state);
  const ageOf = (asOf: number) => (clock.now() - asOf) / 1000;
  gauge(
    ['workspaces', 'state'],
    'Workspaces in use, by state: current, kept (the last good snapshot, a newer one cannot be read), none.',
    () => ['current', 'kept', 'none'].map((state) => [state, inState(state).length]),
  );
  gauge(['snapshot_age_seconds', 'state'], 'Age of the oldest snapshot in service, by state.', () =>
    ['current', 'kept'].flatMap((state) => {
      const asOf = inState(state).flatMap((workspace) => workspace.asOf ?? []);
      return asOf.length > 0 ? [[state, ageOf(Math.min(...asOf))] as const] : [];
    }),
  );
  gauge(
    ['old_snapshot_age_seconds', 'workspace'],
    // Only those: 10,000 workspaces with this week's snapshot would be 10,000 lines in each scrape.
    'Age of each snapshot in service that is older than a week, or from the future (negative), by workspace.',
    () =>
      documents()
        .workspaces.flatMap(({ workspaceId, asOf }) =>
          asOf === null ? [] : [[workspaceId, ageOf(asOf)] as const],
        )
        .filter(([, age]) => age > WEEK_SECONDS || age < 0),
  );
}

/** Returns a function that registers a metric whose values are read at each scrape. */
export function readingAtScrape(registry: Registry, Kind: typeof Counter | typeof Gauge) {
  return (
    [name, label]: [name: string, label?: string],
    help: string,
    read: () => Values | Promise<Values>,
  ) =>
    new Kind({
      name: `sightline_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        const values = await read();
        this.reset();
        if (typeof values === 'number') this.inc(values);
        else for (const [each, value] of values) this.inc({ [label!]: each }, value);
      },
    });
}
