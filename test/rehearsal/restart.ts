import type { TestPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** Kills a database like a crash, waits for a condition, and starts it again. */
export async function killAndRestart(server: TestPostgres, meanwhile: () => Promise<void>): Promise<void> {
  process.kill(server.pid(), 'SIGKILL');
  await meanwhile();
  let tries = 0;
  // A killed server refuses to start until its old processes have ended.
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
