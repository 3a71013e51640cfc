import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

const chunked = (head: string) => request(`${head}\r\nTransfer-Encoding: chunked`);

/** What a client sends in one packet; the first of two requests is not answered yet when the second is read. */
const packets: Record<string, () => string> = {
  'no HTTP': () => 'hello\r\n\r\n',
  'a URL without end': () => `GET /${'y'.repeat(20_000)} `,
  'no host': () => 'GET /api/v1/brands HTTP/1.1\r\n\r\n',
  'two hosts': () => request(`${GET}\r\nHost: y`),
  'more headers than Node usually takes, and a key': () =>
    request(`${GET}\r\nConnection: close${'\r\nx:'.repeat(2000)}`),
  'another version': () => request(`GET ${path} HTTP/2.0`),
  'an old version, without a host': () => `GET ${path} HTTP/1.0\r\nx-api-key: ${gateway.key}\r\n\r\n`,
  // The next bytes could be a body or a request.
  'an expectation that Node does not know': () =>
    request(`${GET}\r\nExpect: 200-ok\r\nContent-Length: 40`) + request(GET),
  'an upgrade': () => request(`${GET}\r\nConnection: upgrade\r\nUpgrade: h2c`) + request(GET),
  'a request, and no HTTP': () => request(GET, 'hello\r\n\r\n'),
  'a request with a damaged body': () => chunked(GET) + 'no length\r\n',
  'a hundred pipelined requests': () => request(GET) + request('GET /nowhere HTTP/1.1').repeat(100),
  'too many pipelined requests': () => request(GET).repeat(102),
};

test('a client that sends unusual or malformed HTTP gets what golden/connections.txt shows', async () => {
  const shown: string[] = [];
  for (const [what, bytes] of Object.entries(packets)) {
    const answers = (await send(bytes()))
      .replaceAll(/^((?:date|x-request-id|x-ratelimit-re\w+|etag|last-modified):).*/gim, '$1 X')
      .replaceAll('\r\n', '\n')
      .replaceAll(/^\{.*\n?/gm, (body) => `${body.slice(0, 40).trimEnd()}…\n`);
    shown.push(`# ${what}\n\n${answers}\n`);
  }
  const refused = gateway.observed.refusedConnections;
  const page = `${shown.join('\n')}\nRefused connections: ${refused.join()}\n`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, 'golden/connections.txt'));
});

test('a client that sends no HTTP after its response, and more after the refusal, is cut off', async () => {
  const socket = Object.assign(await open(), { allowHalfOpen: true });
  socket.write(request(GET));
  await once(socket, 'data');
  socket.write('hello\r\n\r\n');
  expect(statusesOf(await text(socket))).toEqual([400]);
  await until(() => (socket.write('hello'), socket.destroyed));
});

test('connections beyond the limit are closed at once, and reported', async () => {
  const busy = await startListeningGateway();
  expect(busy.app.server).toMatchObject({ maxConnections: 10_000, timeout: 75_000 });
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
