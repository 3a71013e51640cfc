/** @module-tag black-box */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { path, rawHttp, statusesOf } from './raw-http.ts';

const raw = rawHttp();
const { converse, expectServing, open, request } = raw;

/** A connection that is idle after a response. */
async function openAndAsk(): Promise<Socket> {
  const socket = await open();
  socket.write(request(`GET ${path} HTTP/1.1`));
  // The body ends with the only line feed without a carriage return before it.
  for (let answer = ''; !answer.endsWith('}\n');) answer += String((await once(socket, 'data'))[0]);
  return socket;
}

describe('clients that behave badly', () => {
  test('a request that arrives byte by byte is served', async () => {
    const socket = await open();
    const answer = text(socket);
    for (const byte of request(`GET ${path} HTTP/1.1\r\nConnection: close`)) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    expect(statusesOf(await answer)).toEqual([200]);
  });

  test('2,000 idle connections and 500 simultaneous requests: all get a response', async () => {
    // A connection without a request is closed after 15 seconds, which is too short on a busy machine; after a response
    // it stays open for 75.
    const silent = await Promise.all(Array.from({ length: 1000 }, open));
    for (const socket of silent) socket.on('error', () => undefined);
    const idle = await Promise.all(Array.from({ length: 1000 }, openAndAsk));
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => converse(request(`GET ${path} HTTP/1.1\r\nConnection: close`))),
    );
    expect(answers.map((answer) => statusesOf(answer)[0])).toEqual(Array.from({ length: 500 }, () => 200));
    const [first] = idle;
    first!.write(request(`GET ${path} HTTP/1.1\r\nConnection: close`));
    expect(statusesOf(await text(first!))).toEqual([200]);
    for (const socket of [...silent, ...idle]) socket.destroy();
    await expectServing();
  });

  test('connections that are dropped before, during and after the response do not affect others', async () => {
    for (let round = 0; round < 200; round++) {
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

  test('the limits on time, size and number are set', () => {
    const { server } = raw.gateway.app;
    expect(server.headersTimeout).toBe(15_000);
    expect(server.requestTimeout).toBe(30_000);
    expect(server.timeout).toBeGreaterThan(60_000);
    expect(server.keepAliveTimeout).toBe(0); // only the timeout above closes idle connections
    expect(server.maxConnections).toBe(10_000);
  });
});
