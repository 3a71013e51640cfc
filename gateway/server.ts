import type { FastifyInstance } from 'fastify';
import { systemClock } from '../lib/clock.ts';
import type { Config, RecordsLocation } from '../lib/config.ts';
import { Failure, reasonOf } from '../lib/failure.ts';
import { buildOpenApi } from '../lib/openapi/index.ts';
import { openStore } from '../lib/store/open.ts';
import { gatekeeper } from './admission.ts';
import type { GatekeeperOptions } from './admission.ts';
import { buildApp } from './app.ts';
import { documentService } from './documents.ts';
import type { GatewayLog } from './log.ts';
import { openRecords } from './records/open.ts';

export interface RunningGateway {
  /** Where it listens. */
  url: string;
  storeName: string;
  recordsName: string;
  /** Finishes the requests in flight, closes everything. */
  stop(): Promise<void>;
}

/**
 * While SQLite waits for another process that writes, nothing else goes on here: a quarter of a second and no more.
 */
const admissionLimits: Record<RecordsLocation['kind'], Omit<GatekeeperOptions, 'observer'>> = {
  sqlite: { batchesAtOnce: 1, longestQueue: 10_000, patienceMs: 250 },
  postgres: { batchesAtOnce: 2, longestQueue: 10_000, patienceMs: 2000 },
};

/**
 * Opens store and records and listens.
 * @throws Failure where one of them cannot be had; whatever was opened is closed again.
 */
export async function startGateway(config: Config, log: GatewayLog): Promise<RunningGateway> {
  const { observer } = log;
  const store = openStore(config.STORE_URL);
  await store.check();
  const { patienceMs, longestQueue, batchesAtOnce } = admissionLimits[config.RECORDS_URL.kind];
  const records = await openRecords(config.RECORDS_URL, { clock: systemClock, patienceMs, batchesAtOnce });
  const documents = documentService(store, {
    cacheBytes: config.DOCUMENT_CACHE_BYTES,
    refreshSeconds: config.POINTER_REFRESH_SECONDS,
    observer,
  });
  const app = buildApp({
    gatekeeper: gatekeeper(records, { batchesAtOnce, longestQueue, patienceMs, observer }),
    documents,
    observer,
    openapi: Buffer.from(JSON.stringify(buildOpenApi())),
  });
  const stop = async () => {
    await app.close();
    documents.close();
    await records.close();
    store.close();
  };
  try {
    const url = await listen(app, config.HOST, config.PORT);
    return { url, storeName: store.url, recordsName: records.name, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = `HOST ${host}, PORT ${port}`;
    if (code === 'EADDRINUSE') throw new Failure(`${where}: another program listens there`, { cause: error });
    throw new Failure(`${where}: cannot listen: ${reasonOf(error)}`, { cause: error });
  }
}
