import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask } from '../gateway/ask.ts';
import { startNginx } from '../rehearsal/nginx.ts';
import type { Balancer } from '../rehearsal/nginx.ts';
import { temporaryFolders } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';

const newFolder = temporaryFolders();

describeWith(['nginx'], 'one client address cannot close out others', () => {
  let gateway: ReturnType<typeof createServer>;
  let balancer: Balancer;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    gateway = createServer((_request, response) => void response.end('served'));
    gateway.listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    balancer = await startNginx(join(await newFolder(), 'nginx'), [
      url,
      `http://127.0.0.1:${await freePort()}`,
    ]);
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });
  afterAll(async () => {
    await balancer.stop();
    gateway.close();
    gateway.closeAllConnections();
  });

  /** Opens connections that begin a request and go on with one byte every 200 ms. Returns what each received. */
  async function trickle(
    connections: number,
    beginning: string,
  ): Promise<{ text: string; sent: number; isClosed: boolean }[]> {
    const received = Array.from({ length: connections }, () => ({ text: '', sent: 0, isClosed: false }));
    sockets = received.map((of) => {
      const socket = connect(Number(new URL(balancer.url).port), '127.0.0.1').setEncoding('utf8');
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => (of.text += String(chunk)));
      const timer = setInterval(() => {
        socket.write('a');
        of.sent += 1;
      }, 200);
      socket.on('close', () => {
        clearInterval(timer);
        of.isClosed = true;
      });
      socket.write(beginning);
      return socket;
    });
    await Promise.all(sockets.map(async (socket) => socket.connecting && (await once(socket, 'connect'))));
    return received;
  }

  const asOther = async () =>
    await new Promise((resolve, reject) => {
      const outgoing = get(balancer.url, { localAddress: '127.0.0.2', agent: false }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      });
      outgoing.on('error', reject);
    });

  test('by 900 connections whose headers never end: they are closed after ten seconds', async () => {
    const received = await trickle(900, 'GET / HTTP/1.1\r\nHost: x\r\nX-A: ');
    await until(
      async () => {
        expect((await ask(balancer.url, '/')).status).toBe(200);
        return received.every(({ isClosed }) => isClosed);
      },
      'every connection is closed',
      { everyMs: 100 },
    );
    // 50 in ten seconds; 300 within nginx's default of a minute.
    expect(Math.min(...received.map(({ sent }) => sent))).toBeLessThan(150);
    expect(await balancer.log()).not.toContain('worker_connections are not enough');
  });

  test('by 400 slow bodies: beyond 300 requests at once it gets 429 with Retry-After, and others are served', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n';
    const received = await trickle(400, head);
    const refused = () => received.filter(({ text }) => text !== '');
    await until(() => refused().length >= 100);
    for (const { text } of refused()) {
      expect(text).toMatch(/^HTTP\/1\.1 429 [^]*\r\nRetry-After: 10\r\n[^]*"code":"rate_limited"/);
    }
    expect(refused()).toHaveLength(100);
    expect((await ask(balancer.url, '/')).status).toBe(429);
    expect(await asOther()).toBe(200);
  });
});
