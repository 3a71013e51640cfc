import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../lib/errors.ts';
import { ask } from '../gateway/ask.ts';
import { freePort } from '../support/free-port.ts';
import { pageText } from '../docs/pages.ts';
import { environmentFile, textAt } from './installed.ts';
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

test("the file forwards to the gateway of the machine, and does not take the gateway's ports", () => {
  const { PORT, METRICS_PORT } = environmentFile('infra/systemd/gateway.env');
  const file = textAt('infra/nginx/sightline.conf');
  const active = (directive: string) =>
    [...file.matchAll(new RegExp(`^ *${directive} (?:127\\.0\\.0\\.1:)?(\\d+)\\b`, 'gm'))].map(
      ([, port]) => port,
    );
  expect(active('server')).toEqual([PORT]);
  expect(active('listen')).toEqual(['443']);
  expect(active('listen')).not.toContain(METRICS_PORT);
});

describeWith(['nginx'], 'nginx', () => {
  let gateway: ReturnType<typeof createServer>;
  let balancer: Balancer;

  beforeAll(async () => {
    const folder = await newFolder();
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
    gateway.listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const urls = [(gateway.address() as AddressInfo).port, await freePort()].map(
      (port) => `http://127.0.0.1:${port}`,
    );
    balancer = await startNginx(join(folder, 'nginx'), urls);
  });
  afterAll(async () => {
    await balancer.stop();
    gateway.close();
    gateway.closeAllConnections();
  });

  test.each([200, 304, 402, 404, 429, 500])('forwards a %i of a gateway unchanged', async (status) => {
    const answer = await ask(balancer.url, '/', { headers: ['x-status', String(status)] });
    expect(answer).toMatchObject({ status, headers: { 'x-request-id': 'of-the-gateway' } });
    expect(answer.text).toBe(status === 304 ? '' : 'the words of the gateway');
    expect(answer.headers['cache-control']).toBeUndefined();
  });

  test("sends the scheme of the connection to the gateway, not the client's X-Forwarded-Proto", async () => {
    for (const headers of [[], ['X-Forwarded-Proto', 'https']])
      expect((await ask(balancer.url, '/', { headers })).headers['x-scheme']).toBe('http');
  });

  test('sends the host of the client to the gateway with its port, and a placeholder if there is none', async () => {
    const { host: withPort } = new URL(balancer.url);
    expect((await ask(balancer.url, '/')).headers['x-host']).toBe(withPort);
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
      ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
      ['an address that leaves the root', `GET /../x HTTP/1.1\r\n${host}\r\n`, 404],
      ['a path that cannot be decoded', `GET /api/v1/brands/%zz/visibility HTTP/1.1\r\n${host}\r\n`, 404],
      ['a path with %00', `GET /api/v1/brands/%00/ HTTP/1.1\r\n${host}x-api-key: vis_1\r\n\r\n`, 404],
      ['an unknown transfer coding', `GET / HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n`, 400],
      ['another version of HTTP', `GET / HTTP/2.0\r\n${host}\r\n`, 505],
      ['two lengths', `GET / HTTP/1.1\r\n${host}Authorization: a\r\nContent-Length: +5\r\n\r\n`, 400],
      [
        'a body with a broken chunk',
        `GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
        400,
      ],
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
  test('responds with the 500 of the API', async () => {
    const folder = await temporaryFolder();
    const urls = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
    const balancer = await startNginx(join(folder, 'nginx'), urls);
    const answer = await ask(balancer.url, '/api/v1/brands');
    await balancer.stop();
    expect(answer.status).toBe(500);
    expectApiError(answer, 'internal');
  });

  test('responds with the 500 of the API if the gateway is gone when it is asked again for the body of a 401', async () => {
    const folder = await temporaryFolder();
    const gateway = createServer((request, response) => {
      if (request.url === '/api/v1/brands') gateway.close();
      response.writeHead(401, { Connection: 'close' }).end();
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const ports = [(gateway.address() as AddressInfo).port, await freePort()];
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const balancer = await startNginx(join(folder, 'nginx'), urls);
    const answer = await ask(balancer.url, '/api/v1/brands');
    await balancer.stop();
    expect(answer.status).toBe(500);
    expectApiError(answer, 'internal');
  });
});
