import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ask, bearer } from '../gateway/ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import type { Published } from './published.ts';

export interface Restartable {
  url: string;
  /** Where health, readiness and metrics are. */
  operationsUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** What it has logged as an error, in this life and those before. */
  troubles(): string[];
  /** How many requests it has answered in this life. */
  requests(): Promise<number>;
}

/** A gateway that comes back on its old port. */
export async function restartable(settings: Record<string, string>): Promise<Restartable> {
  let running = await startGatewayProcess(settings);
  const logs = [running.log];
  onTestFinished(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  return {
    url: running.url,
    operationsUrl: running.operationsUrl,
    kill: async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    },
    start: async () => {
      running = await startGatewayProcess(settings);
      logs.push(running.log);
    },
    troubles: () => logs.flat().filter((line) => line.startsWith('{"level":50')),
    requests: async () => {
      const { text } = await ask(running.operationsUrl, '/metrics');
      const counts = text.matchAll(/^sightline_requests_total\{.*\} (\d+)$/gm);
      return counts.reduce((sum, [, count]) => sum + Number(count), 0);
    },
  };
}

export async function isServing(url: string, key: string): Promise<boolean> {
  const answer = await ask(url, '/api/v1/brands', { headers: bearer(key) }).catch(() => null);
  if (answer?.status !== 200) await sleep(50);
  return answer?.status === 200;
}

/** Until a gateway answers every workspace from the snapshot that is current. */
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
