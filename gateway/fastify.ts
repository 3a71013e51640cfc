import createFastify from 'fastify';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Server } from 'node:http';

/** An HTTP server that does not listen yet: one for clients, one for operators. */
export function fastify(options: FastifyHttpOptions<Server>): FastifyInstance {
  return createFastify(options);
}
