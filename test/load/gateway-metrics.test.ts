import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../../gateway/observe/metrics.ts';
import { freePort } from '../support/free-port.ts';
import { readGatewaySums, usageBetween } from '../tools/load/gateway-metrics.ts';
import type { GatewaySums } from '../tools/load/gateway-metrics.ts';

const anyRequest = { requestId: '1', route: 'listBrands', workspaceId: null, keyId: null, ms: 1 };

/** The address of a server that responds with this text. */
async function serve(text: () => Promise<string>): Promise<string> {
  const server = createServer((_request, response) => void text().then((body) => response.end(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the load tester reads CPU, requests and waits for records from the metrics of a gateway', async () => {
  const metrics = createMetrics();
  const url = await serve(async () => await metrics.text());
  const before = (await readGatewaySums(url)) as GatewaySums;
  for (const status of [200, 304, 200]) {
    metrics.observer.answered({ ...anyRequest, status });
  }
  metrics.observer.batchAnswered(3, 1, 500);
  const after = (await readGatewaySums(url)) as GatewaySums;
  expect(before.cpuSeconds).toBeGreaterThan(0);
  const usage = usageBetween(before, after, 2, 3);
  expect(usage).toMatchObject({ requests: 3, recordsShare: 0.25 });
});

test('metrics of another gateway are not taken for those of the tested one', () => {
  const sums = { cpuSeconds: 1, requests: 10, recordsSeconds: 0 };
  expect(usageBetween(sums, { ...sums, requests: 15 }, 1, 500)).toBe(
    'the metrics count 5 requests, and 500 were answered',
  );
});

test('metrics that cannot be read are named, and no reason to fail', async () => {
  expect(await readGatewaySums(`http://127.0.0.1:${await freePort()}`)).toContain('ECONNREFUSED');
  expect(await readGatewaySums(await serve(async () => 'up 1\n'))).toBe('no metrics of a gateway');
});
