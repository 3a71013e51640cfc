import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { until } from '../../support/until.ts';
import { startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme } from '../snapshots.ts';

const path = `/api/v1/brands/${acme.id}/visibility`;
const GET = `GET ${path} HTTP/1.1`;

let gateway: ListeningGateway;
beforeAll(async () => {
  gateway = await startListeningGateway();
});
afterAll(() => gateway.close());

async function open({ base } = gateway): Promise<Socket> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => undefined); // the server may close before everything is written
  await once(socket, 'connect');
  return socket;
}

/** The bytes of a request with a key, after its first line and further headers. */
const request = (head: string, body = '', { key } = gateway) =>
  `${head}\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n${body}`;

/** All bytes received until the gateway closes the connection. */
async function send(bytes: string): Promise<string> {
  const socket = await open();
  socket.write(bytes);
  return await text(socket);
}

const statusesOf = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const answered = () => gateway.observed.answered;

describe('malformed HTTP', () => {
  test.each([
    ['is not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    ['has a URL without end', `GET /${'y'.repeat(20_000)} `, '431 Request Header Fields Too Large'],
  ])('because it %s gets a bare status line and a closed connection', async (_what, bytes, status) => {
    expect(await send(bytes)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });

  test('with no host, two hosts or another version gets a bare status and a closed connection', async () => {
    const none = await send('GET /api/v1/brands HTTP/1.1\r\n\r\n');
    expect(none).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n/);
    expect(none).not.toContain('{');
    const hosts = await send(request(`${GET}\r\nHost: y`));
    expect(hosts).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n/i);
    const version = await send(request(`GET ${path} HTTP/2.0`));
    expect(version).toMatch(/^HTTP\/1.1 505 [^]*Connection: close\r\nContent-Length: 0\r\n/i);
    expect(statusesOf(await send(request(`GET ${path} HTTP/1.0`)))).toEqual([200]);
  });

  test('after a valid request in the same packet is answered after it', async () => {
    expect(statusesOf(await send(request(GET, 'hello\r\n\r\n')))).toEqual([200, 400]);
  });
});

test.each([
  ['an expectation that Node does not know', 'Expect: 200-ok\r\nContent-Length: 40'],
  ['an upgrade request', 'Connection: upgrade\r\nUpgrade: h2c'],
])(
  'after %s the next bytes could be a body or a request: the connection is closed',
  async (_what, fields) => {
    const answer = await send(request(`${GET}\r\n${fields}`) + request(GET));
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  },
);

test('of pipelined requests only the first one is answered, with a closed connection', async () => {
  const before = answered().length;
  const answers = await send(request(GET) + request('GET /nowhere HTTP/1.1').repeat(100));
  expect(statusesOf(answers)).toEqual([200]);
  expect(answers).toMatch(/\r\nConnection: close\r\n/i);
  expect(answered()).toHaveLength(before + 1);
});

test('connections beyond the limit are closed at once, and reported', async () => {
  const busy = await startListeningGateway();
  busy.app.server.maxConnections = 20;
  const sockets: Socket[] = [];
  await until(async () => {
    sockets.push(await open(busy));
    return busy.observed.refusedConnections.includes('too_many_connections');
  });
  expect(sockets.length).toBeGreaterThan(20);
  for (const socket of sockets) socket.destroy();
  await busy.close();
});

test('a gateway that is stopping asks clients to close their connections', async () => {
  let isStopping = false;
  const stopping = await startListeningGateway(undefined, { isStopping: () => isStopping });
  const socket = await open(stopping);
  const answers = text(socket);
  socket.write(request(GET, '', stopping));
  await until(() => stopping.observed.answered.length === 1);
  isStopping = true;
  socket.write(request(GET, '', stopping));
  const connections = [...(await answers).matchAll(/\r\nConnection: (\S+)\r\n/gi)].map(([, said]) => said);
  expect(connections).toEqual(['keep-alive', 'close']);
  await stopping.close();
});

test('a client that closes its half of the connection after the request gets its response', async () => {
  const { app, records } = gateway;
  const closed = once(app.server, 'connection').then(async ([socket]) => await once(socket as Socket, 'end'));
  const admit = records.admit.bind(records);
  vi.spyOn(records, 'admit').mockImplementationOnce(async (uses) => {
    await closed;
    return await admit(uses);
  });
  const socket = await open();
  socket.end(request(GET));
  expect(statusesOf(await text(socket))).toEqual([200]);
});

test('a request whose client left before the response is reported with status 499', async () => {
  const before = answered().length;
  const socket = await open();
  socket.write(request(GET));
  const [left] = (await once(gateway.app.server, 'request')) as [{ socket: Socket }];
  left.socket.destroy();
  await until(() => answered().length > before);
  expect(answered()[before]).toMatchObject({ status: 499, route: 'getVisibility' });
  expect(gateway.observed.failures).toEqual([]);
});
