import type { TestPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** Kills a database as a crash does, and starts it again once something has been seen meanwhile. */
export async function killAndRestart(server: TestPostgres, meanwhile: () => Promise<void>): Promise<void> {
  process.kill(server.pid(), 'SIGKILL');
  await meanwhile();
  let tries = 0;
  // A server that was killed refuses to start while processes of its past life end.
  await until(async () => {
    try {
      await server.restart();
      return true;
    } catch (error) {
      tries += 1;
      if (tries === 50) throw error;
      return false;
    }
  }, 200);
}
