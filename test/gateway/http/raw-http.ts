import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from 'vitest';
import { ask, bearer } from '../ask.ts';
import { acme } from '../../adapters/publish.ts';
import { startListeningGateway } from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';

export const path = `/api/v1/brands/${acme.id}/visibility`;

/** A gateway for all tests of a file, and raw sockets to it. */
export interface RawHttp {
  gateway: ListeningGateway;
  open: (base?: string) => Promise<Socket>;
  /** The bytes of a request with a key, after its first line and further headers. */
  request: (head: string, body?: string) => string;
  /** All bytes received until the gateway closes the connection. */
  send: (bytes: string, base?: string) => Promise<string>;
  /** The same after the client has closed its half. */
  converse: (bytes: string | Buffer) => Promise<string>;
  expectServing: () => Promise<void>;
}

/** The returned object is filled before the first test. */
export function rawHttp(): RawHttp {
  const raw = {} as RawHttp;
  beforeAll(async () => {
    raw.gateway = await startListeningGateway();
  });
  afterAll(() => raw.gateway.close());
  raw.open = async (base = raw.gateway.base) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  raw.send = async (bytes, base) => {
    const socket = await raw.open(base);
    socket.write(bytes);
    return await text(socket);
  };
  raw.request = (head, body = '') => `${head}\r\nHost: x\r\nx-api-key: ${raw.gateway.key}\r\n\r\n${body}`;
  raw.converse = async (bytes) => {
    const socket = await raw.open();
    socket.on('error', () => undefined); // the server may close before everything is written
    socket.end(bytes);
    return await text(socket).catch(() => '');
  };
  raw.expectServing = async () => {
    const answer = await ask(raw.gateway.base, path, { headers: bearer(raw.gateway.key) });
    expect(answer.status).toBe(200);
  };
  return raw;
}

export function statusesOf(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
