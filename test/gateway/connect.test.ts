import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorBody } from '../../lib/errors.ts';
import { ask, bearer } from './ask.ts';
import { startListeningGateway } from './gateway.ts';
import type { ListeningGateway } from './gateway.ts';
import { acme } from './snapshots.ts';

const path = `/api/v1/brands/${acme.id}/visibility`;
let gateway: ListeningGateway;
let base: string;
let key: string;

beforeAll(async () => {
  gateway = await startListeningGateway();
  ({ base, key } = gateway);
});
afterAll(() => gateway.close());

/** Asks for a tunnel; what comes back on the bare connection until it is closed is the body. */
async function tunnel(target: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(base);
  const asked = request({ hostname, port, method: 'CONNECT', path: target, headers });
  asked.end();
  const [answer, socket, head] = (await once(asked, 'connect')) as [IncomingMessage, Socket, Buffer];
  const body = head.toString() + (await text(socket));
  return {
    status: answer.statusCode,
    connection: answer.headers.connection,
    code: errorBody.parse(JSON.parse(body)).error.code,
  };
}

test.each(['x:443', '*', path])(
  'CONNECT %s is refused like any other method, and ends the connection',
  async (to) => {
    expect(await tunnel(to, {})).toEqual({ status: 401, connection: 'close', code: 'missing_key' });
    const admitted = await tunnel(to, { 'x-api-key': key });
    expect(admitted).toEqual({ status: 404, connection: 'close', code: 'not_found' });
  },
);

test('a CONNECT of a client that goes at once does no harm', async () => {
  for (let round = 0; round < 20; round++) {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`CONNECT x:443 HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
    if (round % 2 === 0) await new Promise(setImmediate);
    socket.resetAndDestroy();
  }
  expect((await ask(base, path, { headers: bearer(key) })).status).toBe(200);
});
