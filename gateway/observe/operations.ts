import type { FastifyInstance } from 'fastify';
import { fastify } from '../http/server.ts';
import type { DependencyStates } from './gauges.ts';
import type { Metrics } from './metrics.ts';

interface OperationsParts {
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  isStopping: () => boolean;
  /** False before the first publication, and as long as no head of the log was accepted: nothing can be served. */
  hasHead: () => boolean;
  dependencies: () => Promise<DependencyStates>;
}

/**
 * Health, readiness and metrics: a separate server for operators, on an address that clients cannot reach. It listens
 * only after the gateway has opened store and records. Once it knows what is published, the gateway is ready until it
 * stops: an outage of a shared dependency must not take every gateway out of the load balancer.
 */
export function buildOperations({
  metrics,
  isStopping,
  hasHead,
  dependencies,
}: OperationsParts): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get<{ Querystring: { verbose?: string } }>('/readyz', async ({ query }, reply) => {
    const status = isStopping() ? 'stopping' : hasHead() ? 'ready' : 'waiting';
    if (status !== 'ready') reply.code(503);
    return query.verbose === undefined ? { status } : { status, ...verdictsOn(await dependencies()) };
  });
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType);
    return await metrics.text();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'not found' }));
  return app;
}

function verdictsOn(states: DependencyStates): Record<string, string> {
  return Object.fromEntries(Object.entries(states).map(([name, reason]) => [name, reason ?? 'ok']));
}
