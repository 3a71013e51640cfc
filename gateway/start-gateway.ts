import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../lib/clock.ts';
import type { Clock } from '../lib/clock.ts';
import type { Config, RecordsLocation, S3Settings } from '../lib/config.ts';
import { WrongSetting, reasonOf } from '../lib/failure.ts';
import { NO_PUBLIC_KEY, configuredTrust, originOf } from '../snapshots/log/identity.ts';
import type { Trust } from '../snapshots/signing.ts';
import { openStore } from '../lib/store/open.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { LOG } from '../snapshots/layout.ts';
import { readCheckpoint } from '../snapshots/log/read.ts';
import { AdmissionQueue } from './admission/admission.ts';
import type { AdmissionOptions } from './admission/admission.ts';
import { buildApp } from './app.ts';
import { documentationFiles } from './docs/documentation.ts';
import { exploreFiles } from './explore/files.ts';
import { DocumentService } from './documents/documents.ts';
import { isTaken, listen } from './http/server.ts';
import type { GatewayLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import { both } from './observe/observer.ts';
import type { DependencyStates } from './observe/gauges.ts';
import { buildOperations } from './observe/operations.ts';
import { countingReads } from './observe/store-reads.ts';
import { openRecords } from './records/open.ts';
import type { Records } from './records/records.ts';
import { RECORDS_WAIT_MS, STORE_ATTEMPTS, STORE_SILENCE_SECONDS } from './time-limits.ts';

export interface RunningGateway {
  /** The URL of the API. */
  url: string;
  /** The URL of health, readiness and metrics. */
  operationsUrl: string;
  storeName: string;
  recordsName: string;
  /** Reports "not ready", finishes the requests in flight within the limit, closes everything. */
  stop(): Promise<void>;
}

const admissionLimits: Record<RecordsLocation['kind'], Omit<AdmissionOptions, 'observer'>> = {
  sqlite: { batchesAtOnce: 1, longestQueue: 10_000, maxWaitMs: RECORDS_WAIT_MS.sqlite },
  postgres: { batchesAtOnce: 2, longestQueue: 10_000, maxWaitMs: RECORDS_WAIT_MS.postgres },
};

/**
 * Opens store and records, and listens. Parts are closed in reverse order.
 * @param clock decides the minute with SQLite, and the age of snapshots in the metrics
 * @throws Failure if one of them cannot be opened; those already opened are closed again.
 */
export async function startGateway(
  config: Config,
  log: GatewayLog,
  clock: Clock = systemClock,
): Promise<RunningGateway> {
  await using opened = new AsyncDisposableStack();
  const metrics = createMetrics();
  const observer = both(log.observer, metrics.observer);
  const limits = admissionLimits[config.RECORDS_URL.kind];
  const origin = originOf(config, config.STORE_URL);
  const trust = await configuredTrust(config);
  const opening = openStore(config.STORE_URL, s3SettingsFor(config));
  opened.defer(() => opening.close());
  await checkReadable(opening, trust);
  const store = countingReads(opening, (object) => observer.storeRead(object));
  const serving = { purpose: 'serve', clock, ...limits } as const;
  const records = await openRecords(config.RECORDS_URL, serving);
  opened.defer(() => records.close());
  const trustNow = async () => trust ?? (await configuredTrust(config));
  const documents = new DocumentService(store, {
    origin,
    trust: trustNow,
    memory: records,
    cacheBytes: config.DOCUMENT_CACHE_BYTES,
    refreshSeconds: config.STORE_REFRESH_SECONDS,
    observer,
  });
  opened.defer(() => documents.close());
  await documents.refresh();
  const admissions = new AdmissionQueue(records, { ...limits, observer });
  const dependencies = async () => await dependencyStates({ records, documents, admissions });
  let hasStopped = false;
  const isStopping = () => hasStopped;
  const hasHead = () => documents.hasHead();
  const operations = buildOperations({ metrics, isStopping, hasHead, dependencies });
  opened.defer(() => operations.close());
  const explore = exploreFiles(trustNow);
  if (explore.length === 0) log.error('there is no page /explore: "npm run explore" builds it');
  const publicFiles = [...documentationFiles(config.PUBLIC_URL), ...explore];
  const app = buildApp({ admissions, documents, observer, publicFiles, isStopping });
  metrics.watch({
    documents: () => documents.status(),
    waiting: () => admissions.waiting(),
    connections: promisify(app.server.getConnections.bind(app.server)),
    clock,
    dependencies,
    droppedLogLines: () => log.droppedLines(),
  });
  opened.defer(() => closeWithin(config.SHUTDOWN_SECONDS, app));
  const operationsUrl = await listenForOperators(operations, config);
  const url = await listen(app, { host: config.HOST, port: config.PORT, settings: ['HOST', 'PORT'] });
  const running = opened.move();
  const stop = async () => {
    hasStopped = true;
    await sleep(drainSeconds(config) * 1000);
    await running.disposeAsync();
  };
  return { url, operationsUrl, storeName: store.url, recordsName: records.name, stop };
}

interface Parts {
  records: Records;
  documents: DocumentService;
  admissions: AdmissionQueue;
}

/** Of the store what the last look at the log found: a scrape asks it nothing. */
async function dependencyStates({ records, documents, admissions }: Parts): Promise<DependencyStates> {
  const trouble = documents.trouble();
  const askRecords = async () => {
    admissions.demandAdmissions();
    await records.ping();
    return null;
  };
  return { store: trouble && reasonOf(trouble), records: await askRecords().catch(reasonOf) };
}

/**
 * Behind a balancer: longer than nginx leaves out a gateway that was restarted before (`fail_timeout` in infra/nginx), or
 * no gateway would be left for a moment. On a terminal nobody waits.
 */
const USUAL_DRAIN_SECONDS = 3;

export function drainSeconds(config: Config): number {
  return config.DRAIN_SECONDS ?? (process.stdout.isTTY ? 0 : USUAL_DRAIN_SECONDS);
}

/** Store requests must time out before the request that waits for them. */
function s3SettingsFor(config: Config): S3Settings {
  return {
    ...config,
    AWS_MAX_ATTEMPTS: Math.min(config.AWS_MAX_ATTEMPTS, STORE_ATTEMPTS),
    S3_TIMEOUT_SECONDS: Math.min(config.S3_TIMEOUT_SECONDS, STORE_SILENCE_SECONDS),
  };
}

/**
 * @throws Failure if the store does not exist, or objects may be listed but not read; WrongSetting if something was
 * published, and there is no key to check it with.
 */
async function checkReadable(store: ObjectStore, trust: Trust | undefined): Promise<void> {
  await store.check();
  await store.get(`${LOG}none`); // returns null if reading is allowed
  if (trust === undefined && (await readCheckpoint(store)) !== null) throw new WrongSetting(NO_PUBLIC_KEY);
}

/** Waits up to `seconds` for the requests in flight, then closes their connections. */
async function closeWithin(seconds: number, app: FastifyInstance): Promise<void> {
  setTimeout(() => app.server.closeAllConnections(), seconds * 1000).unref();
  await app.close();
}

const USUAL_OPERATIONS_PORT = 9464;

/** Without METRICS_PORT: the default port, or any free one, so that several gateways can run on one machine. */
async function listenForOperators(app: FastifyInstance, config: Config): Promise<string> {
  const settings: [string, string] = ['METRICS_HOST', 'METRICS_PORT'];
  const host = config.METRICS_HOST;
  const port = config.METRICS_PORT ?? USUAL_OPERATIONS_PORT;
  try {
    return await listen(app, { host, port, settings });
  } catch (error) {
    if (config.METRICS_PORT !== undefined || !isTaken(error)) throw error;
    return await listen(app, { host, port: 0, settings });
  }
}
