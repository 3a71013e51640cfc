import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import { AdmissionQueue } from '../../gateway/admission/admission.ts';
import { buildApp } from '../../gateway/app.ts';
import { documentationFiles } from '../../gateway/docs/documentation.ts';
import type { PublicFile } from '../../gateway/http/public-file.ts';
import { DocumentService } from '../../gateway/documents/documents.ts';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import { createMetrics } from '../../gateway/observe/metrics.ts';
import { both } from '../../gateway/observe/observer.ts';
import type { Answered, GatewayObserver, LoggedEvents } from '../../gateway/observe/observer.ts';
import type { Records } from '../../gateway/records/records.ts';
import { openSqliteRecords } from '../../gateway/records/sqlite/records.ts';
import { testLog } from '../snapshots/publish.ts';
import type { TestLog } from '../snapshots/publish.ts';
import { memoryStore } from '../support/memory-store.ts';
import { acme, publishBrands } from './snapshots.ts';

export const workspaceId = '11111111-1111-4111-8111-111111111111';
export const otherWorkspaceId = '22222222-2222-4222-8222-222222222222';
export const globex = {
  id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c99',
  name: 'Globex',
  domain: 'globex.example',
  createdAt: '2026-02-05T09:30:00.000Z',
};

/** A listening gateway over a published store, with the parts that tests use. */
export interface ListeningGateway {
  base: string;
  /** Of workspace 1. */
  key: string;
  app: FastifyInstance;
  log: TestLog;
  records: Records;
  documents: DocumentService;
  observed: Observed;
  /** A new key of the workspace. */
  createKey(workspaceId?: string): Promise<string>;
  close(): Promise<void>;
}

export interface Observed {
  answered: Answered[];
  failures: unknown[];
  kept: string[];
  refusedConnections: string[];
}

export interface TestGatewayOptions {
  longestQueue?: number;
  maxWaitMs?: number;
  publicFiles?: readonly PublicFile[];
  isStopping?: () => boolean;
  /** Replaces the default, a new one in memory. */
  log?: TestLog;
  /** Replace the default, new ones in SQLite. */
  records?: Records;
  /** An additional observer. */
  observe?: (observer: GatewayObserver) => GatewayObserver;
}

/** Workspace 1 has brand Acme, workspace 2 brand Globex; both are on the agency plan. */
export async function startListeningGateway(
  clock: Clock = systemClock,
  options: TestGatewayOptions = {},
): Promise<ListeningGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-of-tests-'));
  const log = options.log ?? (await logInMemory(folder));
  await makeRecords(folder);
  const path = join(folder, 'records.db');
  const records = options.records ?? openSqliteRecords(path, { clock, purpose: 'serve' });
  for (const [id, brand] of [[workspaceId, acme] as const, [otherWorkspaceId, globex] as const]) {
    await publishBrands(log, id, [brand], '2026-11-16T06:00:00.000Z', { isWhole: true });
    await setPlan(records, id, 'agency', 1_000_000);
  }
  const { observed, observer: own } = observing();
  const observer = options.observe?.(own) ?? own;
  const documents = new DocumentService(log.store, {
    origin: log.origin,
    trust: async () => log.trust,
    memory: records,
    cacheBytes: 64 * 1024 * 1024,
    refreshSeconds: 3600,
    observer,
  });
  const app = buildApp({
    admissions: new AdmissionQueue(records, {
      batchesAtOnce: 1,
      longestQueue: options.longestQueue ?? 10_000,
      maxWaitMs: options.maxWaitMs ?? 2000,
      observer,
    }),
    documents,
    observer,
    publicFiles: options.publicFiles ?? documentationFiles(),
    ...(options.isStopping && { isStopping: options.isStopping }),
  });
  return {
    base: await app.listen({ host: '127.0.0.1', port: 0 }),
    key: await createKey(records, workspaceId),
    app,
    log,
    records,
    documents,
    observed,
    createKey: (id = workspaceId) => createKey(records, id),
    close: async () => {
      try {
        await app.close();
        documents.close();
        await records.close();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** An empty log whose store and lake are in memory: hundreds of documents in a folder take seconds. */
export async function logInMemory(root: string): Promise<TestLog> {
  const [store, lake] = ['the store', 'the lake'].map((name) => memoryStore(new Map(), name));
  return { ...(await testLog(root)), store: store!, lake: lake! };
}

/** The settings of a process that reads a log in a folder. */
export function settingsOf({ root, origin, keys }: TestLog): Record<string, string> {
  return { STORE_URL: join(root, 'store'), LOG_ORIGIN: origin, PUBLIC_KEY_FILE: keys.publicKey };
}

/** Makes `records.db` in a folder, without workspaces. */
export async function makeRecords(folder: string): Promise<void> {
  await openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }).close();
}

export async function createKey(records: Records, id: string): Promise<string> {
  const key = newKey();
  await records.createKey(id, storedForm(key), null);
  return key;
}

export async function setPlan(
  records: Records,
  id: string,
  plan: string,
  requestsPerMinute: number | null,
): Promise<void> {
  await records.setWorkspace({ id, name: `Workspace ${id[0]}`, plan, requestsPerMinute });
}

/** What tests look at; the metrics see every event. */
function observing(): { observed: Observed; observer: GatewayObserver } {
  const observed: Observed = { answered: [], failures: [], kept: [], refusedConnections: [] };
  const seen: LoggedEvents = {
    answered: (request) => void observed.answered.push(request),
    requestFailed: (_id, error) => void observed.failures.push(error),
    admissionFailed: (error) => void observed.failures.push(error),
    connectionRefused: (reason) => void observed.refusedConnections.push(reason),
    snapshotKept: (_id, reason) => void observed.kept.push(String(reason)),
    snapshotChanged: () => undefined,
  };
  return { observed, observer: both(seen, createMetrics().observer) };
}
