import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { publicFile } from '../../../gateway/http/public-file.ts';
import { until } from '../../support/until.ts';
import { ask, bearer } from '../ask.ts';
import { startListeningGateway } from '../gateway.ts';
import { path, rawHttp, statusesOf } from './raw-http.ts';

const raw = rawHttp();
const { converse, expectServing, open, request, send } = raw;

describe('a connection whose next bytes could be a body or a request is closed', () => {
  test.each([
    ['an expectation that Node does not know', 'Expect: 200-ok\r\nContent-Length: 40'],
    ['an upgrade request', 'Connection: upgrade\r\nUpgrade: h2c'],
  ])('after %s', async (_what, fields) => {
    const bytes = request(`GET ${path} HTTP/1.1\r\n${fields}`) + request(`GET ${path} HTTP/1.1`);
    const answer = await send(bytes);
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });
});

test('an unwanted body is read and dropped', async () => {
  const socket = await open();
  const failure = vi.fn<(error: Error) => void>();
  socket.on('error', failure);
  const bytes = 4 * 1024 * 1024;
  socket.write(request(`GET ${path} HTTP/1.1\r\nContent-Length: ${bytes}`));
  const answer = text(socket);
  // As with a proxy: the response arrives before most of the body is sent.
  await until(() => socket.bytesRead > 0);
  for (let sent = 0; sent < bytes; sent += 65_536) {
    if (!socket.write(Buffer.alloc(65_536, 'x'))) await once(socket, 'drain');
  }
  socket.end();
  expect(statusesOf(await answer)).toEqual([200]);
  expect(failure).not.toHaveBeenCalled();
});

describe('pipelining', () => {
  test('only the first request is answered, with a closed connection', async () => {
    const urls = [path, ...Array.from({ length: 100 }, () => '/nowhere')];
    const { answered } = raw.gateway.observed;
    const before = answered.length;
    const answers = await send(urls.map((url) => request(`GET ${url} HTTP/1.1`)).join(''));
    expect(statusesOf(answers)).toEqual([200]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/i);
    expect(answered).toHaveLength(before + 1);
  });

  test('behind responses that are not read is cut off beyond a limit, and other clients are served', async () => {
    const large = publicFile('/large', 'text/plain', async () => 'x'.repeat(20_000_000));
    const busy = await startListeningGateway(undefined, { publicFiles: [large] });
    const one = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(600);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => open(busy.base)));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(one);
    }
    await until(() => busy.observed.refusedConnections.length > 0);
    expect(busy.observed.refusedConnections).toContain('too_many_pipelined_requests');
    expect((await ask(busy.base, path, { headers: bearer(busy.key) })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await busy.close();
  });
});

/** A connection that is idle after a response. */
async function openAndAsk(): Promise<Socket> {
  const socket = await open();
  socket.write(request(`GET ${path} HTTP/1.1`));
  // The body ends with the only line feed without a carriage return before it.
  for (let answer = ''; !answer.endsWith('}\n');) answer += String((await once(socket, 'data'))[0]);
  return socket;
}

describe('the server', () => {
  test('with 1,000 idle connections responds to 500 simultaneous requests', async () => {
    // A connection without a request is closed after 15 seconds, which is too short on a busy machine; after a response
    // it stays open for 75.
    const silent = await Promise.all(Array.from({ length: 500 }, () => open()));
    for (const socket of silent) socket.on('error', () => undefined);
    const idle = await Promise.all(Array.from({ length: 500 }, openAndAsk));
    const last = request(`GET ${path} HTTP/1.1\r\nConnection: close`);
    const answers = await Promise.all(Array.from({ length: 500 }, () => converse(last)));
    expect(new Set(answers.map((answer) => statusesOf(answer)[0]))).toEqual(new Set([200]));
    idle[0]!.write(last);
    expect(statusesOf(await text(idle[0]!))).toEqual([200]);
    for (const socket of [...silent, ...idle]) socket.destroy();
    await expectServing();
  });

  test('serves others after connections that were dropped before, during and after the response', async () => {
    for (let round = 0; round < 60; round++) {
      const socket = await open();
      socket.on('error', () => undefined);
      socket.write(request(`GET ${path} HTTP/1.1`).slice(0, round % 2 === 0 ? undefined : 40));
      if (round % 3 === 0) socket.resetAndDestroy();
      else if (round % 3 === 1) setImmediate(() => socket.destroy());
      else socket.end();
    }
    await expectServing();
    expect(raw.gateway.observed.failures).toEqual([]);
  });

  test('limits the time for a request and the number of connections, and keeps idle ones longer than load balancers', () => {
    const { headersTimeout, requestTimeout, timeout, keepAliveTimeout, maxConnections } =
      raw.gateway.app.server;
    expect({ headersTimeout, requestTimeout, maxConnections }).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      maxConnections: 10_000,
    });
    expect(timeout).toBeGreaterThan(60_000);
    expect(keepAliveTimeout).toBe(0); // only the timeout above closes idle connections
  });

  test('closes connections beyond its limit at once, and reports them', async () => {
    const busy = await startListeningGateway();
    busy.app.server.maxConnections = 20;
    const sockets: Socket[] = [];
    await until(async () => {
      sockets.push((await open(busy.base)).on('error', () => undefined));
      return busy.observed.refusedConnections.includes('too_many_connections');
    });
    expect(sockets.length).toBeGreaterThan(20);
    for (const socket of sockets) socket.destroy();
    await busy.close();
  });

  test('asks clients to close their connections while it is stopping', async () => {
    let isStopping = false;
    const stopping = await startListeningGateway(undefined, { isStopping: () => isStopping });
    const socket = await open(stopping.base);
    const answer = text(socket);
    const asked = `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${stopping.key}\r\n\r\n`;
    socket.write(asked);
    await until(() => stopping.observed.answered.length === 1);
    isStopping = true;
    socket.write(asked);
    const connections = [...(await answer).matchAll(/\r\nConnection: (\S+)\r\n/gi)].map(([, said]) => said);
    expect(connections).toEqual(['keep-alive', 'close']);
    await stopping.close();
  });

  test('responds to a client that closed its half of the connection after the request', async () => {
    const { app, records } = raw.gateway;
    const admit = records.admit.bind(records);
    onTestFinished(() => void (records.admit = admit));
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
    records.admit = async (uses) => {
      await isClosed;
      return await admit(uses);
    };
    app.server.once('connection', (socket: Socket) => void socket.once('end', closed));
    expect(statusesOf(await converse(request(`GET ${path} HTTP/1.1`)))).toEqual([200]);
  });

  test('reports a request whose client left before the response with status 499', async () => {
    const { app, observed } = raw.gateway;
    const before = observed.answered.length;
    const socket = await open();
    socket.write(request(`GET ${path} HTTP/1.1`));
    const [left] = (await once(app.server, 'request')) as [{ socket: Socket }];
    left.socket.destroy();
    await until(() => observed.answered.length > before);
    expect(observed.answered[before]).toMatchObject({ status: 499, route: 'getVisibility' });
  });
});
