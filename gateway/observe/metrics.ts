import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '../../lib/metrics/prometheus.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DocumentStatus } from '../documents/documents.ts';
import type { GatewayObserver } from './observer.ts';
import { watchProcess } from './process-metrics.ts';
import type { ProcessSources } from './process-metrics.ts';
import { requestMetrics } from './request-metrics.ts';
import { watchSnapshots } from './snapshot-metrics.ts';
import { storeObjects } from './store-reads.ts';

/** The sources that the gauges read at each scrape. */
export interface MetricSources extends ProcessSources {
  documents: () => DocumentStatus;
  /** The number of requests that wait for admission. */
  waiting: () => number;
  /** The number of open connections of clients. */
  connections: () => Promise<number>;
  clock: Clock;
}

export interface Metrics {
  observer: GatewayObserver;
  /** Sets the sources of the gauges; until then the gauges are absent. */
  watch(sources: MetricSources): void;
  contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const WAIT_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2];

/** All metrics of a gateway; docs/operations.md explains which to watch. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'sightline_' });
  return {
    observer: observing(registry),
    watch(sources) {
      watchSources(registry, sources);
      watchProcess(registry, sources);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function observing(registry: Registry): GatewayObserver {
  const registers = [registry];
  const counter = (name: string, help: string) =>
    new Counter({ name: `sightline_${name}_total`, help, registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `sightline_${name}`, help, buckets, registers });
  const requests = requestMetrics(registry);
  const batchRequests = histogram('admission_batch_requests', 'Requests admitted together.', BATCH_BUCKETS);
  const batchKeys = histogram('admission_batch_keys', 'Distinct keys among them.', BATCH_BUCKETS);
  const wait = histogram(
    'admission_wait_seconds',
    'Seconds from the first request of a batch to the response of the records.',
    WAIT_BUCKETS,
  );
  const databaseErrors = counter(
    'admission_failures',
    'Batches without a response from the records, and requests refused because the queue was full.',
  );
  const failures = counter('request_failures', 'Requests that got a 500 after they were admitted.');
  const kept = counter('snapshot_refusals', 'Newer snapshots, or heads of the log, that could not be read.');
  const changed = counter('snapshot_changes', 'Newer snapshots that went into service.');
  const refusedConnections = new Counter({
    name: 'sightline_connections_refused_total',
    help: 'Connections of clients that were closed because of a limit of the whole process, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const storeReads = new Counter({
    name: 'sightline_store_reads_total',
    help: 'Objects read from the store, by kind; one checkpoint every STORE_REFRESH_SECONDS.',
    labelNames: ['object'],
    registers,
  });
  for (const object of storeObjects) storeReads.inc({ object }, 0);
  const cache = cacheCounters(registry);
  return {
    answered: ({ route, status, ms }) => requests.answered(route, status, ms),
    storeRead: (object) => storeReads.inc({ object }),
    requestFailed: () => failures.inc(),
    batchAnswered(size, keys, ms) {
      batchRequests.observe(size);
      batchKeys.observe(keys);
      wait.observe(ms / 1000);
    },
    admissionFailed: () => databaseErrors.inc(),
    connectionRefused: (reason) => refusedConnections.inc({ reason }),
    ...cache,
    snapshotKept: () => kept.inc(),
    snapshotChanged: () => changed.inc(),
  };
}

/** Counts in plain numbers, because every request is a hit. */
function cacheCounters(registry: Registry): Pick<GatewayObserver, 'cacheHit' | 'cacheMiss'> {
  const counts = { hit: 0, miss: 0 };
  const counter = new Counter({
    name: 'sightline_document_cache_total',
    help: 'Documents found in memory (hit) or read from the store (miss).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'hit' }, counts.hit);
      this.inc({ outcome: 'miss' }, counts.miss);
    },
  });
  counter.reset();
  return {
    cacheHit: () => {
      counts.hit += 1;
    },
    cacheMiss: () => {
      counts.miss += 1;
    },
  };
}

function watchSources(registry: Registry, { documents, waiting, connections, clock }: MetricSources): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `sightline_${name}`,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  gauge('admission_waiting', 'Requests that wait for admission.', waiting);
  gauge(
    'connections',
    'Open connections of clients; at most 10,000, or fewer if the limit of open files is low.',
    connections,
  );
  gauge('document_cache_bytes', 'Memory that cached documents take.', () => documents().cachedBytes);
  gauge('document_cache_documents', 'Documents in memory.', () => documents().cachedDocuments);
  watchSnapshots(registry, documents, clock);
}
