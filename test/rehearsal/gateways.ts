import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import type { Published } from './published.ts';

export interface Restartable {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops it as a supervisor does, and starts it when it has ended. */
  replace(): Promise<void>;
}

/** A gateway that is restarted on the same port. */
export async function restartable(settings: Record<string, string>): Promise<Restartable> {
  let running = await startGatewayProcess(settings);
  onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  const start = async () => {
    running = await startGatewayProcess({ ...settings, PORT: new URL(running.url).port });
  };
  return {
    url: running.url,
    kill: async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    },
    start,
    replace: async () => {
      running.child.kill('SIGTERM');
      expect(await running.ended).toBe(0);
      await start();
    },
  };
}

export async function isServing(url: string, key: string): Promise<boolean> {
  const answer = await ask(url, '/api/v1/brands', { headers: bearer(key) }).catch(() => null);
  if (answer?.status !== 200) await sleep(50);
  return answer?.status === 200;
}

/** Waits until a gateway serves the current snapshot of every workspace. */
export async function untilCurrent(
  url: string,
  keys: ReadonlyMap<string, string>,
  current: Published,
): Promise<void> {
  for (const [id, key] of keys) {
    const wanted = current.get(id)!.snapshotId;
    for (;;) {
      const { headers } = await ask(url, '/api/v1/brands', { headers: bearer(key) });
      if (headers['x-snapshot-id'] === wanted) break;
      await sleep(50);
    }
  }
}
