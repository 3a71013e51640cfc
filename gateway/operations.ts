import { fastify } from './fastify.ts';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics/metrics.ts';
import { reasonOf } from '../lib/failure.ts';

export interface OperationsParts {
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  /** Throws where the gateway could not answer a request now. */
  ready: () => Promise<void>;
}

/** How long the database and the store may take to say that they are there. */
const READY_WITHIN_MS = 2000;

/** Health, readiness and metrics: a server of its own, for operators, on an address that clients cannot reach. */
export function buildOperations({ metrics, ready }: OperationsParts): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  // Touches nothing: a gateway whose database is away must not be killed for it.
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await within(READY_WITHIN_MS, ready());
      return { status: 'ready' };
    } catch (error) {
      return await reply.code(503).send({ status: 'not ready', reason: reasonOf(error) });
    }
  });
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType);
    return await metrics.text();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'not found' }));
  return app;
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
