import { onTestFinished } from 'vitest';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

export interface Restartable {
  url: string;
  /** Resolves with the exit status; null if it was killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  start(): Promise<void>;
}

/** A gateway that is restarted on the same port. */
export async function restartable(settings: Record<string, string>): Promise<Restartable> {
  const fixed = {
    ...settings,
    STORE_REFRESH_SECONDS: '1',
    DRAIN_SECONDS: '',
    PORT: String(await freePort()),
  };
  let running = await startGatewayProcess(fixed);
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal);
    return await running.ended;
  };
  onTestFinished(async () => void (await end('SIGKILL')));
  return {
    url: running.url,
    end,
    start: async () => {
      running = await startGatewayProcess(fixed);
    },
  };
}

/** Waits until a gateway responds to ten requests in a row, of which each may open another connection to the database. */
export async function untilServing(url: string, key: string): Promise<void> {
  let inARow = 0;
  const isServing = async () => {
    const answer = await ask(url, '/api/v1/brands', { headers: bearer(key) }).catch(() => null);
    inARow = answer?.status === 200 ? inARow + 1 : 0;
    return inARow === 10;
  };
  await until(isServing, 'the gateway serves');
}

/** Waits until a gateway serves this snapshot to the owner of the key. */
export async function untilCurrent(url: string, key: string, snapshotId: string): Promise<void> {
  const isCurrent = async () => {
    const { headers } = await ask(url, '/api/v1/brands', { headers: bearer(key) });
    return headers['x-snapshot-id'] === snapshotId;
  };
  await until(isCurrent, 'the gateway serves the current snapshot', { everyMs: 50 });
}
