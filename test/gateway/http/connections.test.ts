import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { publicFile } from '../../../gateway/http/public-file.ts';
import { until } from '../../support/until.ts';
import { ask, bearer } from '../ask.ts';
import { startListeningGateway } from '../gateway.ts';
import { path, rawHttp, statusesOf } from './raw-http.ts';

const raw = rawHttp();
const { open, request, send } = raw;

describe('a connection whose next bytes could be a body or a request is closed', () => {
  test.each([
    ['with a document', `GET ${path} HTTP/1.1`, 200],
    ['with 404', 'GET /nowhere HTTP/1.1', 404],
  ])('after an expectation that Node does not know, answered %s', async (_what, line, status) => {
    // After `100-continue` Node closes by itself.
    const answer = await send(request(`${line}\r\nExpect: 200-ok\r\nContent-Length: 40`));
    expect(statusesOf(answer)).toEqual([status]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });

  test('after an upgrade request: Node drops the next request in the packet', async () => {
    const upgrade = request(`GET ${path} HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c`);
    const answer = await send(upgrade + request(`GET ${path} HTTP/1.1`));
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });
});

describe('an unwanted body', () => {
  const megabytes = 4;

  test.each([
    ['with a key', `GET ${path} HTTP/1.1`, 200],
    ['to a path that is not there', 'POST /nowhere HTTP/1.1', 404],
  ])('is read and dropped, %s', async (_what, line, status) => {
    const socket = await open();
    const failure = vi.fn<(error: Error) => void>();
    socket.on('error', failure);
    const bytes = megabytes * 1024 * 1024;
    socket.write(request(`${line}\r\nContent-Length: ${bytes}`));
    const answer = text(socket);
    // As with a proxy: the response arrives before most of the body is sent.
    await until(() => socket.bytesRead > 0);
    for (let sent = 0; sent < bytes; sent += 65_536) {
      if (!socket.write(Buffer.alloc(65_536, 'x'))) await once(socket, 'drain');
    }
    socket.end();
    expect(statusesOf(await answer)).toEqual([status]);
    expect(failure).not.toHaveBeenCalled();
  });
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

describe('the server', () => {
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
