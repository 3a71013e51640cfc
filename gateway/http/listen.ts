import createFastify from 'fastify';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { Failure, reasonOf } from '../../lib/failure.ts';

/** An HTTP server that does not listen yet: one for clients, one for operators. */
export function fastify(options: FastifyHttpOptions<Server>): FastifyInstance {
  return createFastify(options);
}

/** An address to listen on, with the names of its settings for messages. */
interface ListenAddress {
  host: string;
  port: number;
  /** `HOST` and `PORT`, or those of the operators' server. */
  settings: [string, string];
}

/** Listens and returns the URL. @throws Failure that names the settings if the address is taken or invalid. */
export async function listen(app: FastifyInstance, { host, port, settings }: ListenAddress): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const where = `${settings[0]} ${host}, ${settings[1]} ${port}`;
    if (isTaken(error)) throw new Failure(`${where}: another program listens there`, { cause: error });
    throw new Failure(`${where}: cannot listen: ${reasonOf(error)}`, { cause: error });
  }
}

export function isTaken(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
