import type { FastifyInstance } from 'fastify';
import { Failure, reasonOf } from '../../lib/failure.ts';

/** What a message calls the address: the settings that it came from. */
export interface ListenAddress {
  host: string;
  port: number;
  /** `HOST` and `PORT`, or those of the operators' server. */
  settings: [string, string];
}

/** @throws Failure that names the settings, where the address cannot be had. */
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
