import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../lib/errors.ts';
import { ask } from '../gateway/ask.ts';
import { freePort } from '../support/free-port.ts';
import { pageText } from '../docs/pages.ts';
import { startNginx } from '../rehearsal/nginx.ts';
import type { Balancer } from '../rehearsal/nginx.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';

const newFolder = temporaryFolders();

interface Response {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

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

interface Described {
  components: {
    responses: Record<string, { headers: Record<string, unknown>; content: Record<string, unknown> }>;
  };
}
const { components } = JSON.parse(pageText('docs/openapi.json')) as Described;
/** The headers that every error has, in lower case. */
const promised = Object.keys(components.responses['Internal']!.headers).map((name) => name.toLowerCase());

/** Asserts that a response is an error in the format of the API. */
function expectApiError({ headers, text: body }: Response, code: string): void {
  expect(promised).toEqual(expect.arrayContaining(['x-request-id', 'cache-control']));
  expect(Object.keys(headers)).toEqual(expect.arrayContaining(promised));
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
  expect(errorBody.parse(JSON.parse(body)).error.code).toBe(code);
}

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

/** nginx in front of a gateway that responds so, and of one that is not there; for all tests of the file. */
async function balancerOf(listener: RequestListener): Promise<Balancer> {
  const gateway = createServer(listener).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const ports = [(gateway.address() as AddressInfo).port, await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const balancer = await startNginx(join(await newFolder(), 'nginx'), urls);
  ends.push(async () => {
    await balancer.stop();
    gateway.close();
    gateway.closeAllConnections();
  });
  return balancer;
}

describeWith(['nginx'], 'nginx', () => {
  let balancer: Balancer;
  beforeAll(async () => {
    // Simulates a gateway: responds with the status in the request, and a body that nginx must not replace.
    balancer = await balancerOf((request, response) => {
      request.resume();
      response.writeHead(Number(request.headers['x-status'] ?? 200), {
        'X-Request-Id': 'of-the-gateway',
        'X-Scheme': request.headers['x-forwarded-proto'] ?? '',
        'X-Host': request.headers.host ?? '',
      });
      response.end('the words of the gateway');
    });
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
  describe('responds in the format of the API', () => {
    test.each([
      ['malformed HTTP', `G@T / HTTP/1.1\r\n${host}\r\n`, 400],
      ['an address that leaves the root', `GET /../x HTTP/1.1\r\n${host}\r\n`, 404],
      ['a path that cannot be decoded', `GET /api/v1/brands/%zz/visibility HTTP/1.1\r\n${host}\r\n`, 404],
      ['another version of HTTP', `GET / HTTP/2.0\r\n${host}\r\n`, 505],
      ['two lengths', `GET / HTTP/1.1\r\n${host}Authorization: a\r\nContent-Length: +5\r\n\r\n`, 400],
      ['headers that are too large', `GET / HTTP/1.1\r\n${host}A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      ['an address that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 414],
      ['a body that is too large', `GET / HTTP/1.1\r\n${host}Content-Length: 70000\r\n\r\n`, 413],
      ['a method that it refuses', `TRACE / HTTP/1.1\r\n${host}\r\n`, 404],
      ['an address of its own', `GET /sightline-error/internal HTTP/1.1\r\n${host}\r\n`, 404],
    ])('to %s', async (_what, request, status) => {
      const answer = await send(balancer.url, request);
      expect(answer.status).toBe(status);
      expectApiError(answer, 'not_found');
      expect(answer.headers['server']).toBe('nginx'); // no version
    });

    test('to two keys in Authorization, as a gateway does', async () => {
      const twice = 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n';
      const answer = await send(balancer.url, `GET / HTTP/1.1\r\n${host}${twice}\r\n`);
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      expectApiError(answer, 'invalid_key');
    });

    test.each([502, 503, 504])('to a gateway that responds %i', async (status) => {
      const answer = await ask(balancer.url, '/', { headers: ['x-status', String(status)] });
      expect(answer.status).toBe(500);
      expectApiError(answer, 'internal');
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

describeWith(['nginx'], 'one client address cannot close out others', () => {
  let balancer: Balancer;
  let sockets: Socket[] = [];
  beforeAll(async () => {
    balancer = await balancerOf((_request, response) => void response.end('served'));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
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
