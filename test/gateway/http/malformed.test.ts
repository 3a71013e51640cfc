/** @module-tag black-box */
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { isErrorBody } from '../admission/error-answer.ts';
import { until } from '../../support/until.ts';
import { seededRandom } from '../../support/random.ts';
import { path, rawHttp, statusesOf } from './raw-http.ts';

const raw = rawHttp();
const { converse, expectServing, request, send } = raw;

describe('malformed HTTP', () => {
  const tooLarge = '431 Request Header Fields Too Large';
  test.each([
    ['is not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    ['has a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n', '400 Bad Request'],
    [
      'has headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`,
      tooLarge,
    ],
    ['has a URL without end', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, tooLarge],
  ])('because it %s gets a bare status line and a closed connection', async (_what, bytes, status) => {
    expect(await send(bytes)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });

  test('with no host, two hosts or another version gets a bare status and a closed connection', async () => {
    const none = await send('GET /api/v1/brands HTTP/1.1\r\n\r\n');
    expect(none).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n/);
    expect(none).not.toContain('{');
    const hosts = await send(request(`GET ${path} HTTP/1.1\r\nHost: y`));
    expect(hosts).toMatch(/^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n/i);
    const version = await send(request(`GET ${path} HTTP/2.0`));
    expect(version).toMatch(/^HTTP\/1.1 505 [^]*Connection: close\r\nContent-Length: 0\r\n/i);
    expect(statusesOf(await send(request(`GET ${path} HTTP/1.0`)))).toEqual([200]);
  });

  test('after a valid request in the same packet is answered after it', async () => {
    expect(statusesOf(await send(request(`GET ${path} HTTP/1.1`, 'hello\r\n\r\n')))).toEqual([200, 400]);
  });

  test('does not include an unknown Expect header, which is ignored', async () => {
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n`;
    expect(await send(head)).toMatch(/^HTTP\/1.1 401 [^]*missing_key/);
  });

  test('includes CONNECT, which closes the connection, also behind a request', async () => {
    expect(await send(request('CONNECT x:443 HTTP/1.1'))).toBe('');
    await send(request(`GET ${path} HTTP/1.1`, request('CONNECT x:443 HTTP/1.1')));
    await expectServing();
  });
});

const answered = () => raw.gateway.observed.answered.filter(({ status }) => status === 200);

describe('request smuggling', () => {
  const smuggled = `GET /smuggled HTTP/1.1\r\nHost: x\r\nx-api-key: KEY\r\n\r\n`;

  test.each([
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 44', ''],
    ['chunks that are not last', 'Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
    ['a blank before the colon', 'Content-Length : 44', ''],
    ['a bare line feed in a header', 'X-A: b\nContent-Length: 44', ''],
  ])('with %s is never two requests', async (_what, fields, before) => {
    const body = before + smuggled.replace('KEY', raw.gateway.key);
    const statuses = statusesOf(await converse(request(`GET ${path} HTTP/1.1\r\n${fields}`, body)));
    expect(statuses.length).toBeLessThanOrEqual(2);
    // Ambiguous requests are refused, completely or at their second half, before that becomes a request.
    expect(statuses.at(-1)).toBe(400);
    expect(raw.gateway.observed.answered.filter(({ route }) => route === 'none')).toEqual([]);
  });

  test('is not possible with the body of a GET: it is skipped, and the next request is parsed correctly', async () => {
    const inBody = smuggled.replace('KEY', raw.gateway.key);
    const before = answered().length;
    const socket = await raw.open();
    const answers = text(socket);
    socket.write(request(`GET ${path} HTTP/1.1\r\nContent-Length: ${inBody.length}`, inBody));
    await until(() => answered().length > before);
    socket.write(request(`GET /api/v1/brands HTTP/1.1\r\nConnection: close`));
    expect(statusesOf(await answers)).toEqual([200, 200]);
    // The last one may be observed after its response has arrived.
    await until(() => answered().length >= before + 2);
    const routes = answered()
      .slice(before)
      .map(({ route }) => route);
    expect(routes.toSorted()).toEqual(['getVisibility', 'listBrands']);
  });
});

describe('random bytes', () => {
  const words = [
    'GET',
    'POST',
    'CONNECT',
    'BREW',
    ' ',
    path,
    '/',
    '/%',
    '/%00',
    '?',
    '*',
    '..',
    ' HTTP/1.1',
    ' HTTP/1.0',
    ' HTTP/9.9',
    '\r\n',
    '\n',
    '\r\n\r\n',
    'Host: x',
    'Host: ',
    'x-api-key: ',
    'Authorization: Bearer ',
    'Content-Length: ',
    '0',
    '5',
    '-1',
    '99999999999999999999',
    'Transfer-Encoding: chunked',
    'Connection: upgrade',
    'Expect: 100-continue',
    'If-None-Match: *',
    ':',
    'vis_',
    'é',
    '\0',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];

  /** A request with a valid beginning and an invalid end. */
  function nonsense(random: () => number): Buffer {
    const pick = () => words[Math.floor(random() * words.length)]!;
    const whole = request(`GET ${path} HTTP/1.1`);
    const parts = Array.from({ length: 1 + Math.floor(random() * 30) }, pick);
    if (random() < 0.5) parts.unshift(whole.slice(0, Math.floor(random() * whole.length)));
    if (random() < 0.2) parts.push(whole);
    const bytes = Buffer.from(parts.join(''), 'latin1');
    for (let flips = Math.floor(random() * 4); flips > 0 && bytes.length > 0; flips--) {
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    }
    return bytes;
  }

  test.each([1, 2, 3])(
    'from seed %i get a response of the API or a bare 4xx, and nothing is echoed',
    async (seed) => {
      const random = seededRandom(seed);
      for (let round = 0; round < 100; round++) {
        const sent = nonsense(random);
        const wrong = complaintOf(await converse(sent));
        expect(wrong, `seed ${seed}, round ${round}: ${JSON.stringify(sent.toString('latin1'))}`).toBeNull();
      }
      await expectServing();
      expect(raw.gateway.observed.failures).toEqual([]);
    },
  );
});

/** What is wrong with the responses; null if all are valid. */
function complaintOf(answers: string): string | null {
  if (answers.includes('vis_') || /node:|at [\w.]+ \(|Error:/.test(answers)) return 'something is echoed';
  const statuses = statusesOf(answers);
  if (answers !== '' && statuses.length === 0) return `no HTTP: ${answers}`;
  for (const status of statuses) {
    if (![200, 304, 400, 401, 404, 408, 431, 505].includes(status)) return `status ${status}`;
  }
  for (const body of answers.matchAll(/\{"error":.*?\}\}/g)) {
    if (!isErrorBody(body[0])) return `body ${body[0]}`;
  }
  return null;
}
