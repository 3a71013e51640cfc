import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { publicFile } from '../../../gateway/http/public-file.ts';
import { until } from '../../support/until.ts';
import { startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme } from '../snapshots.ts';

const path = `/api/v1/brands/${acme.id}/visibility`;
let gateway: ListeningGateway;
let port: number;
let key: string;

beforeAll(async () => {
  gateway = await startListeningGateway();
  port = Number(new URL(gateway.base).port);
  ({ key } = gateway);
});
afterAll(() => gateway.close());

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const head = (line: string, ...fields: string[]) =>
  [line, 'Host: x', `x-api-key: ${key}`, ...fields, '', ''].join('\r\n');

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** All bytes received until the server closes the connection. */
async function answersTo(bytes: string): Promise<string> {
  const socket = await open();
  socket.write(bytes);
  return await text(socket);
}

describe('a connection whose next bytes could be a body or a request is closed', () => {
  test.each([
    ['with a document', `GET ${path} HTTP/1.1`, 200],
    ['with 404', 'GET /nowhere HTTP/1.1', 404],
  ])('after an expectation that Node does not know, answered %s', async (_what, line, status) => {
    // After `100-continue` Node closes by itself.
    const answer = await answersTo(head(line, 'Expect: 200-ok', 'Content-Length: 40'));
    expect(statusesOf(answer)).toEqual([status]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  });

  test('after an upgrade request: Node drops the next request in the packet', async () => {
    const upgrade = head(`GET ${path} HTTP/1.1`, 'Connection: upgrade', 'Upgrade: h2c');
    const answer = await answersTo(upgrade + head(`GET ${path} HTTP/1.1`));
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
    socket.write(head(line, `Content-Length: ${bytes}`));
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
    const { answered } = gateway.observed;
    const before = answered.length;
    const answers = await answersTo(urls.map((url) => head(`GET ${url} HTTP/1.1`)).join(''));
    expect(statusesOf(answers)).toEqual([200]);
    expect(answers).toMatch(/\r\nConnection: close\r\n/i);
    expect(answered).toHaveLength(before + 1);
  });

  test('behind responses that are not read is cut off beyond a limit, and other clients are served', async () => {
    const large = publicFile('/large', 'text/plain', async () => 'x'.repeat(20_000_000));
    const busy = await startListeningGateway(undefined, { publicFiles: [large] });
    port = Number(new URL(busy.base).port);
    const one = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(600);
    const sockets = await Promise.all(Array.from({ length: 10 }, open));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(one);
    }
    await until(() => busy.observed.refusedConnections.length > 0);
    expect(busy.observed.refusedConnections).toContain('too_many_pipelined_requests');
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${busy.key}\r\nConnection: close\r\n\r\n`;
    expect(statusesOf(await answersTo(request))).toEqual([200]);
    for (const socket of sockets) socket.destroy();
    await busy.close();
    port = Number(new URL(gateway.base).port);
  });
});

const addressesOf = (host: string) => (host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host]);

describe('the server', () => {
  test('on every address of localhost has the same limits', async () => {
    const lookup = vi.spyOn(dns, 'lookup');
    lookup.mockImplementation(((
      host: string,
      options: { all?: boolean },
      callback: (...found: unknown[]) => void,
    ) => {
      const found = addressesOf(host).map((address) => ({ address, family: 4 }));
      if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, 4);
    }) as never);
    const local = await startListeningGateway(undefined, { host: 'localhost' });
    lookup.mockRestore();
    const addresses = local.app.addresses();
    await local.close();
    expect(addresses).toHaveLength(1);
  });

  test('closes connections beyond its limit at once, and reports them', async () => {
    const busy = await startListeningGateway();
    busy.app.server.maxConnections = 20;
    port = Number(new URL(busy.base).port);
    const sockets: Socket[] = [];
    await until(async () => {
      sockets.push((await open()).on('error', () => undefined));
      return busy.observed.refusedConnections.includes('too_many_connections');
    });
    expect(sockets.length).toBeGreaterThan(20);
    for (const socket of sockets) socket.destroy();
    await busy.close();
    port = Number(new URL(gateway.base).port);
  });

  test('asks clients to close their connections while it is stopping', async () => {
    let isStopping = false;
    const stopping = await startListeningGateway(undefined, { isStopping: () => isStopping });
    port = Number(new URL(stopping.base).port);
    const socket = await open();
    const answer = text(socket);
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${stopping.key}\r\n\r\n`;
    socket.write(request);
    await until(() => stopping.observed.answered.length === 1);
    isStopping = true;
    socket.write(request);
    const connections = [...(await answer).matchAll(/\r\nConnection: (\S+)\r\n/gi)].map(([, said]) => said);
    expect(connections).toEqual(['keep-alive', 'close']);
    await stopping.close();
    port = Number(new URL(gateway.base).port);
  });

  test('reports a request whose client left before the response with status 499', async () => {
    const { answered } = gateway.observed;
    const before = answered.length;
    const socket = await open();
    socket.write(head(`GET ${path} HTTP/1.1`));
    const [request] = (await once(gateway.app.server, 'request')) as [{ socket: Socket }];
    request.socket.destroy();
    await until(() => answered.length > before);
    expect(answered[before]).toMatchObject({ status: 499, route: 'getVisibility' });
  });
});
