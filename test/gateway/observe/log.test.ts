import { expect, test } from 'vitest';
import { accessLog } from '../../../gateway/observe/access-log.ts';

test('a line of the request log is JSON with the fields of its request, for any number of requests', () => {
  const requests = Array.from({ length: 1000 }, (_, n) => ({
    requestId: `request-${n}`,
    route: 'listBrands',
    status: 200,
    workspaceId: n % 3 === 0 ? null : '"ü\n€'.repeat(n % 20),
    keyId: n % 3 === 0 ? null : n,
    ms: n / 7,
  }));
  const written: Buffer[] = [];
  const log = accessLog((lines) => void written.push(lines));
  for (const request of requests) log.answered(request);
  log.flush();
  log.flush(); // nothing is written twice
  expect(written.length).toBeLessThan(10);
  const lines = Buffer.concat(written).toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  const [level, time, msg] = [30, expect.any(Number) as number, 'answered'];
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    requests.map((request) => ({ ...request, ms: Math.round(request.ms * 100) / 100, level, time, msg })),
  );
});
