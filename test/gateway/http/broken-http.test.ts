/** @module-tag black-box */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, bearer } from '../ask.ts';
import { manualClock } from '../clock.ts';
import { acme } from '../../adapters/publish.ts';
import { startListeningGateway } from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';

const clock = manualClock('2026-11-16T06:00:10.250Z');
const visibility = `/api/v1/brands/${acme.id}/visibility`;

let gateway: ListeningGateway;
let base: string;
let key: string;

beforeAll(async () => {
  gateway = await startListeningGateway(clock);
  ({ base, key } = gateway);
});
afterAll(() => gateway.close());

/** All bytes received until the connection is closed. */
const send = async (bytes: string) => {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.write(bytes);
  return await text(socket);
};

describe('malformed HTTP', () => {
  test.each([
    ['is not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    ['has a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n', '400 Bad Request'],
    [
      'has a length and chunks',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
    [
      'has headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
    [
      'has a URL without end',
      `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])('because it %s gets a bare status line and a closed connection', async (_what, bytes, status) => {
    expect(await send(bytes)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });

  test('without a host gets an empty 400 and a closed connection', async () => {
    const answer = await send('GET /api/v1/brands HTTP/1.1\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n/);
    expect(answer).not.toContain('{');
  });

  test('with two hosts or another version gets a bare status line and a closed connection', async () => {
    const hosts = await send(`GET ${visibility} HTTP/1.1\r\nHost: x\r\nHost: y\r\nx-api-key: ${key}\r\n\r\n`);
    expect(hosts).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n/i);
    const version = await send(`GET ${visibility} HTTP/2.0\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
    expect(version).toMatch(/^HTTP\/1.1 505 [^]*Connection: close\r\nContent-Length: 0\r\n/i);
  });

  test('after a valid request in the same packet is answered after it', async () => {
    const good = `GET ${visibility} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
    const answers = await send(`${good}hello\r\n\r\n`);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    expect(statuses).toEqual(['200', '400']);
  });

  test('does not include an unknown Expect header, which is ignored', async () => {
    const odd = await send(
      `GET ${visibility} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n`,
    );
    expect(odd).toMatch(/^HTTP\/1.1 401 [^]*missing_key/);
    const body = await send(
      `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`,
    );
    expect(body).toMatch(/^HTTP\/1.1 401 [^]*Connection: close[^]*missing_key/i);
    const old = await send(`GET ${visibility} HTTP/1.0\r\nx-api-key: ${key}\r\n\r\n`);
    expect(old).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('CONNECT', () => {
  test.each(['x:443', '*', visibility])('to %s is a closed connection', async (to) => {
    expect(await send(`CONNECT ${to} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`)).toBe('');
  });

  test.each(['', 'x-api-key: KEY\r\n'])(
    'after a request in the same packet is harmless (%j)',
    async (header) => {
      const first = `GET ${visibility} HTTP/1.1\r\nHost: x\r\n${header.replace('KEY', key)}\r\n`;
      await send(`${first}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect((await ask(base, visibility, { headers: bearer(key) })).status).toBe(200);
    },
  );
});
