import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { stampCheckpoints } from '../../../snapshots/log/timestamps.ts';
import { collectCosignatures } from '../../../snapshots/log/witness/cosignatures.ts';
import { makePlace } from './histories.ts';

const MIB = 1024 * 1024;

/** A server that responds with 64 MiB, as fast as they are read, and counts them. Ends with the test. */
async function startTalker() {
  let sent = 0;
  async function* chunks() {
    for (; sent < 64 * MIB; sent += MIB) yield Buffer.alloc(MIB, 'x');
  }
  const server = createServer((_request, response) => void Readable.from(chunks()).pipe(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sent: () => sent };
}

test('a witness with a long response is not read to its end', async () => {
  const { store, appending } = await makePlace();
  await appendToLog(appending([1]));
  const { url, sent } = await startTalker();
  const [outcome] = await collectCosignatures(store, [{ url, key: null }]);
  expect(outcome).toEqual({ url, failure: 'the response is longer than 65536 bytes' });
  expect(sent()).toBeLessThan(32 * MIB);
});

test('a time-stamp authority with a long response is not read to its end', async () => {
  const { store, appending } = await makePlace();
  await appendToLog(appending([1]));
  const { url, sent } = await startTalker();
  const [outcome] = await stampCheckpoints(store, url);
  expect(outcome).toEqual({ size: 1, failure: 'the response is longer than 65536 bytes' });
  expect(sent()).toBeLessThan(32 * MIB);
});
