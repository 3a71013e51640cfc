import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { composeServices } from './compose.ts';

const named = composeServices();

test('all ports of the S3 server are closed to the network, except one that a relay opens', async () => {
  const { command, network_mode } = named['seaweedfs']!;
  expect(network_mode).toBe('service:s3');
  expect(command).toEqual(
    expect.arrayContaining(['-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-admin.ui=false', '-webdav=false']),
  );
  await withRelay(async (port, upstream) => {
    const body = randomBytes(3_000_000);
    const answers = [1, 2].map(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/key`, { method: 'PUT', body });
      return Buffer.from(await response.arrayBuffer()).equals(body);
    });
    expect(await Promise.all(answers)).toEqual([true, true]);
    await upstream.stop();
    await expect(fetch(`http://127.0.0.1:${port}/key`)).rejects.toThrow('fetch failed');
    await upstream.start(); // the relay is still there
    expect((await fetch(`http://127.0.0.1:${port}/key`, { method: 'PUT', body })).status).toBe(200);
  });
});

/** Runs the relay of the service s3 on free ports, in front of an echo server. */
async function withRelay(
  use: (port: number, upstream: { stop(): Promise<void>; start(): Promise<void> }) => Promise<void>,
): Promise<void> {
  const [port, target] = [await freePort(), await freePort()];
  const [program] = named['s3']!.command!;
  const script = program!.replace('8334', String(target)).replace('8333', String(port));
  let server: Server;
  const upstream = {
    start: async () => {
      server = createServer((request, response) => request.pipe(response));
      await once(server.listen(target, '127.0.0.1'), 'listening');
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await upstream.start();
  const relay = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await until(
      async () =>
        await fetch(`http://127.0.0.1:${port}`).then(
          () => true,
          () => false,
        ),
    );
    await use(port, upstream);
  } finally {
    relay.kill();
    await upstream.stop();
  }
}
