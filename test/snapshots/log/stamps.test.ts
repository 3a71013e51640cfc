import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { isStampKey, timestampKey } from '../../../snapshots/layout.ts';
import { collectStamps, timestampQuery } from '../../../snapshots/log/witness/cosign.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { startTimestampAuthority } from '../../support/timestamp-authority.ts';
import { verified } from '../verify/audited.ts';
import { newSigner, placeOf, publishAll } from './places.ts';

const run = promisify(execFile);

test('a query for a time stamp is the 59 bytes of RFC 3161', () => {
  expect(timestampQuery(Buffer.from('data'))).toHaveLength(59);
});

describeWith(['openssl'], 'a time stamp', () => {
  test('is over the head of each commit, asked for once, and verifies with openssl', async () => {
    const folder = await temporaryFolder();
    const authority = await startTimestampAuthority(folder);
    onTestFinished(() => authority.close());
    const place = placeOf(await newSigner());
    const settings = { WITNESS_URLS: [], TIMESTAMP_URL: authority.url };
    await publishAll(place, 0, [0]);
    authority.isAway = true;
    const [outcome] = await collectStamps(place.store, settings);
    expect(outcome!.failure).toMatch('status 503');
    authority.isAway = false;
    for (const week of [1, 2]) {
      await publishAll(place, week, [0]);
      for (const failure of [null, null])
        expect(await collectStamps(place.store, settings)).toEqual([{ from: authority.url, failure }]);
    }
    const stamps = [...place.objects.store.keys()].filter(isStampKey);
    expect(stamps).toHaveLength(2);
    const reply = join(folder, 'head.tsr');
    const key = timestampKey(6, authority.url);
    await writeFile(reply, place.objects.store.get(key)!);
    const { notes } = await verified(place);
    const [, command] = / (ts -verify .*)$/.exec(notes.find(({ objects }) => objects[0] === key)!.message)!;
    const args = command!.replace(key, reply).replace('AUTHORITY.pem', authority.certificate).split(' ');
    expect((await run('openssl', args)).stdout).toContain('Verification: OK');
  });
});

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

test('a witness or an authority with a long response is not read to its end', async () => {
  const place = placeOf(await newSigner());
  await publishAll(place, 0, [0]);
  const [witness, authority] = [await startTalker(), await startTalker()];
  const settings = { WITNESS_URLS: [witness.url], TIMESTAMP_URL: authority.url };
  const failure = 'the response is longer than 65536 bytes';
  const outcomes = [witness, authority].map(({ url }) => ({ from: url, failure }));
  expect(await collectStamps(place.store, settings)).toEqual(outcomes);
  for (const { sent } of [witness, authority]) expect(sent()).toBeLessThan(32 * MIB);
});
