import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../lib/errors.ts';
import { ask } from '../gateway/ask.ts';
import type { Answer } from '../gateway/ask.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx } from '../rehearsal/nginx.ts';
import type { Balancer } from '../rehearsal/nginx.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';

const newFolder = temporaryFolders();

type Response = Pick<Answer, 'status' | 'headers' | 'text'>;

/**
 * Sends raw bytes and reads one response. The connection stays open meanwhile: for a client that ends its side within a
 * body, nginx sends its own error page.
 */
async function send(url: string, request: string): Promise<Response> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  socket.write(request);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    const [head = '', body] = received.split('\r\n\r\n');
    if (body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1])) break;
  }
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => [
    field.slice(0, field.indexOf(':')).toLowerCase(),
    field.slice(field.indexOf(':') + 1).trim(),
  ]);
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), text: body };
}

/** Asserts that a response is an error in the format of the API. */
function expectApiError({ headers, text: body }: Response, code: string): void {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
  expect(errorBody.parse(JSON.parse(body)).error.code).toBe(code);
}

describeWith(['nginx'], 'nginx', () => {
  let balancer: Balancer;
  let gateway: Server;
  beforeAll(async () => {
    // Simulates a gateway: responds with the status in the request, and a body that nginx must not replace.
    gateway = createServer((request, response) => {
      request.resume();
      response.writeHead(Number(request.headers['x-status'] ?? 200), {
        'X-Request-Id': 'of-the-gateway',
        'X-Scheme': request.headers['x-forwarded-proto'] ?? '',
        'X-Host': request.headers.host ?? '',
      });
      response.end('the words of the gateway');
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    // The other one is not there.
    const ports = [(gateway.address() as AddressInfo).port, await freePort()];
    balancer = await startNginx(
      join(await newFolder(), 'nginx'),
      ports.map((port) => `http://127.0.0.1:${port}`),
    );
  });
  afterAll(async () => {
    await balancer.stop();
    gateway.closeAllConnections();
    gateway.close();
  });

  test.each([200, 304, 429, 500])('forwards a %i of a gateway unchanged', async (status) => {
    const answer = await ask(balancer.url, '/', { headers: ['x-status', String(status)] });
    expect(answer).toMatchObject({ status, headers: { 'x-request-id': 'of-the-gateway' } });
    expect(answer.text).toBe(status === 304 ? '' : 'the words of the gateway');
    expect(answer.headers['cache-control']).toBeUndefined();
  });

  test("sends the scheme of the connection and the client's host with its port to the gateway", async () => {
    const { host: withPort } = new URL(balancer.url);
    for (const headers of [[], ['X-Forwarded-Proto', 'https']])
      expect((await ask(balancer.url, '/', { headers })).headers).toMatchObject({
        'x-scheme': 'http',
        'x-host': withPort,
      });
    const old = await send(balancer.url, 'GET / HTTP/1.0\r\n\r\n');
    expect(old).toMatchObject({ status: 200, headers: { 'x-host': '-' } });
  });

  test('logs no query, into which a client may have put its key', async () => {
    const key = `vis_${'1'.repeat(48)}`;
    await ask(balancer.url, `/api/v1/brands?x-api-key=${key}`);
    await ask(balancer.url, `/api/v1/brands?${key}`, { headers: ['x-status', '401'] });
    await ask(balancer.url, `/api/v1/brands?${key}`, { headers: ['x-status', '502'] });
    await send(balancer.url, `GET /%zz?${key} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const lines = async () =>
      (await balancer.accessLog()).split('\n').filter((line) => line.includes(' /api/v1/brands '));
    await until(async () => (await lines()).length === 3);
    expect(await balancer.accessLog()).not.toContain('vis_');
  });

  const host = 'Host: x\r\nConnection: close\r\n';
  const twoKeys = 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n';
  test.each([
    ['malformed HTTP', `G@T / HTTP/1.1\r\n${host}\r\n`, 400, 'not_found'],
    ['an address that leaves the root', `GET /../x HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
    ['a path that cannot be decoded', `GET /api/v1/brands/%zz/x HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
    ['another version of HTTP', `GET / HTTP/2.0\r\n${host}\r\n`, 505, 'not_found'],
    ['too large headers', `GET / HTTP/1.1\r\n${host}A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'not_found'],
    ['too long an address', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 414, 'not_found'],
    ['too large a body', `GET / HTTP/1.1\r\n${host}Content-Length: 70000\r\n\r\n`, 413, 'not_found'],
    ['a method that it refuses', `TRACE / HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
    ['an address of its own', `GET /sightline-error/internal HTTP/1.1\r\n${host}\r\n`, 404, 'not_found'],
    ['two keys in Authorization', `GET / HTTP/1.1\r\n${host}${twoKeys}\r\n`, 401, 'invalid_key'],
    ['a 502 of the gateway', `GET / HTTP/1.1\r\n${host}X-Status: 502\r\n\r\n`, 500, 'internal'],
    ['a 503 of the gateway', `GET / HTTP/1.1\r\n${host}X-Status: 503\r\n\r\n`, 500, 'internal'],
    ['a 504 of the gateway', `GET / HTTP/1.1\r\n${host}X-Status: 504\r\n\r\n`, 500, 'internal'],
  ])('responds in the format of the API to %s', async (_what, request, status, code) => {
    const answer = await send(balancer.url, request);
    expect(answer.status).toBe(status);
    expectApiError(answer, code);
    expect(answer.headers['server']).toBe('nginx'); // no version
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  });

  describe('one client address cannot close out others', () => {
    const sockets: Socket[] = [];
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
    });

    /** Opens connections that begin a request and go on with one byte every 200 ms. Returns what each sent and received. */
    function trickle(connections: number, beginning: string) {
      const clients = Array.from({ length: connections }, () => ({ text: '', sent: 0, isClosed: false }));
      for (const client of clients) {
        const socket = connect(Number(new URL(balancer.url).port), '127.0.0.1').setEncoding('utf8');
        socket.on('error', () => undefined);
        socket.on('data', (chunk) => (client.text += String(chunk)));
        const timer = setInterval(() => {
          socket.write('a');
          client.sent += 1;
        }, 200);
        socket.on('close', () => {
          clearInterval(timer);
          client.isClosed = true;
        });
        socket.write(beginning);
        sockets.push(socket);
      }
      return clients;
    }

    test('by 900 connections whose headers never end: they are closed after ten seconds', async () => {
      const clients = trickle(900, 'GET / HTTP/1.1\r\nHost: x\r\nX-A: ');
      const areClosed = async () => {
        expect((await ask(balancer.url, '/')).status).toBe(200);
        return clients.every(({ isClosed }) => isClosed);
      };
      await until(areClosed, 'every connection is closed', { everyMs: 100 });
      // 50 in ten seconds; 300 within nginx's default of a minute.
      expect(Math.min(...clients.map(({ sent }) => sent))).toBeLessThan(150);
      expect(await balancer.log()).not.toContain('worker_connections are not enough');
    });

    test('by 400 slow bodies: beyond 300 requests at once it gets 429 with Retry-After, and others are served', async () => {
      const clients = trickle(400, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n');
      const refused = () => clients.filter(({ text }) => text !== '');
      await until(() => refused().length >= 100);
      expect(refused()).toHaveLength(100);
      for (const { text } of refused())
        expect(text).toMatch(/^HTTP\/1\.1 429 [^]*\r\nRetry-After: 10\r\n[^]*"code":"rate_limited"/);
      expect((await ask(balancer.url, '/')).status).toBe(429);
      const other = get(balancer.url, { localAddress: '127.0.0.2', agent: false });
      const [incoming] = (await once(other, 'response')) as [IncomingMessage];
      expect(incoming.resume().statusCode).toBe(200);
    });
  });
});

describeWith(['nginx'], 'nginx without a gateway', () => {
  test.each([
    ['if none is there', false],
    ['if it is gone when it is asked again for the body of a 401', true],
  ])('responds with the 500 of the API %s', async (_when, isThereOnce) => {
    const gateway = createServer((request, response) => {
      if (request.url === '/api/v1/brands') gateway.close();
      response.writeHead(401, { Connection: 'close' }).end();
    });
    const port = await freePort();
    if (isThereOnce) await once(gateway.listen(port, '127.0.0.1'), 'listening');
    const urls = [port, await freePort()].map((each) => `http://127.0.0.1:${each}`);
    const balancer = await startNginx(join(await temporaryFolder(), 'nginx'), urls);
    const answer = await ask(balancer.url, '/api/v1/brands');
    await balancer.stop();
    expect(answer.status).toBe(500);
    expectApiError(answer, 'internal');
  });
});
