/** @module-tag black-box */
import { describe, expect, test } from 'vitest';
import { path, rawHttp, statusesOf } from './raw-http.ts';

const raw = rawHttp();
const { expectServing, request, send } = raw;

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
    const hosts = await send(request(`GET ${path} HTTP/1.1\r\nHost: y`));
    expect(hosts).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n/i);
    const version = await send(request(`GET ${path} HTTP/2.0`));
    expect(version).toMatch(/^HTTP\/1.1 505 [^]*Connection: close\r\nContent-Length: 0\r\n/i);
  });

  test('after a valid request in the same packet is answered after it', async () => {
    expect(statusesOf(await send(request(`GET ${path} HTTP/1.1`, 'hello\r\n\r\n')))).toEqual([200, 400]);
  });

  test('does not include an unknown Expect header, which is ignored', async () => {
    const odd = await send(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n`,
    );
    expect(odd).toMatch(/^HTTP\/1.1 401 [^]*missing_key/);
    const body = await send(
      `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`,
    );
    expect(body).toMatch(/^HTTP\/1.1 401 [^]*Connection: close[^]*missing_key/i);
    expect(statusesOf(await send(request(`GET ${path} HTTP/1.0`)))).toEqual([200]);
  });
});

describe('CONNECT', () => {
  test.each(['x:443', '*', path])('to %s is a closed connection', async (to) => {
    expect(await send(request(`CONNECT ${to} HTTP/1.1`))).toBe('');
  });

  test('after a request in the same packet is harmless', async () => {
    await send(request(`GET ${path} HTTP/1.1`, request('CONNECT x:443 HTTP/1.1')));
    await expectServing();
  });
});
