import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { accessLog } from '../../../gateway/observe/access-log.ts';
import { createLog } from '../../../gateway/observe/log.ts';
import { stopLimitMs } from '../../../gateway/run-gateway.ts';
import { drainSeconds } from '../../../gateway/start-gateway.ts';
import { readConfig } from '../../../lib/config.ts';

test('a line of the request log is JSON with the fields of its request, for any number of requests', () => {
  const requests = Array.from({ length: 1000 }, (_, n) => ({
    requestId: `request-${n}`,
    route: 'listBrands',
    status: 200,
    workspaceId: n % 3 === 0 ? null : '"ü\n€'.repeat(n % 20),
    keyId: n % 3 === 0 ? null : n,
    ms: n / 7,
  }));
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const written: Buffer[] = [];
  const log = accessLog((lines) => void written.push(lines));
  for (const request of requests) log.answered(request);
  vi.advanceTimersByTime(400);
  expect(written.length).toBeLessThan(10);
  expect(written.map(({ length }) => length)).not.toContain(0); // nothing is written twice
  const lines = Buffer.concat(written).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  const [level, time, msg] = [30, expect.any(Number) as number, 'answered'];
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    requests.map((request) => ({ ...request, ms: Math.round(request.ms * 100) / 100, level, time, msg })),
  );
});

test('events are lines of golden/events.jsonl, of a flood of refusals one a second, at the level of LOG_LEVEL', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  for (const level of ['info', 'error', 'silent']) {
    lines.push(`{"LOG_LEVEL":"${level}"}\n`);
    const write = (text: string | Uint8Array) => void lines.push(Buffer.from(text).toString());
    const log = createLog(level, { write, droppedLines: () => 0, flush: async () => undefined });
    const { observer } = log;
    const workspaceId = '11111111-1111-4111-8111-111111111111';
    const answered = { requestId: 'a', route: 'none', status: 200, workspaceId, keyId: 7, ms: 1.239 };
    log.info({ url: 'http://127.0.0.1:8080' }, 'serving');
    observer.answered?.(answered);
    observer.requestFailed('b', new Error('a defect'));
    observer.answered?.({ ...answered, requestId: 'b', status: 500 });
    for (const waited of [0, 0, 999, 1, 999, 1000]) {
      vi.advanceTimersByTime(waited);
      observer.admissionFailed(new Error('away'));
      observer.connectionRefused('too_many_connections');
    }
    observer.snapshotKept(workspaceId, new Error('unreadable'));
    observer.snapshotChanged(workspaceId, null);
    await log.close();
  }
  await expect(lines.join('')).toMatchFileSnapshot(join(import.meta.dirname, 'golden/events.jsonl'));
});

test('a gateway that stops waits for its balancer, but not on a terminal', () => {
  const { isTTY } = process.stdout;
  onTestFinished(() => void Object.assign(process.stdout, { isTTY }));
  const waits = [false, true].map((isTerminal) => {
    Object.assign(process.stdout, { isTTY: isTerminal });
    return drainSeconds(readConfig({}));
  });
  expect(waits).toEqual([3, 0]);
  expect(stopLimitMs(readConfig({ DRAIN_SECONDS: '40', SHUTDOWN_SECONDS: '50' }))).toBe(100_000);
});
