import { fastify } from '../fastify.ts';
import type { FastifyInstance } from 'fastify';
import type { DependencyStates } from './dependencies.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsParts {
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  isStopping: () => boolean;
  dependencies: () => Promise<DependencyStates>;
}

/**
 * Health, readiness and metrics: a separate server for operators, on an address that clients cannot reach. It listens
 * only after the gateway has opened store and records. From then on the gateway is ready until it stops: an outage of
 * a shared dependency must not take every gateway out of the load balancer.
 */
export function buildOperations({ metrics, isStopping, dependencies }: OperationsParts): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get<{ Querystring: { verbose?: string } }>('/readyz', async ({ query }, reply) => {
    if (isStopping()) reply.code(503);
    const status = isStopping() ? 'stopping' : 'ready';
    return query.verbose === undefined ? { status } : { status, ...(await verdicts(dependencies)) };
  });
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.contentType);
    return await metrics.text();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'not found' }));
  return app;
}

async function verdicts(dependencies: OperationsParts['dependencies']): Promise<Record<string, string>> {
  const states = Object.entries(await dependencies());
  return Object.fromEntries(states.map(([name, reason]) => [name, reason ?? 'ok']));
}
