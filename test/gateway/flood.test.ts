/** @module-tag black-box */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { makeServed } from '../adapters/read-over-http.ts';
import { startNginx } from '../rehearsal/nginx.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startGatewayProcess } from '../support/program.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';
import { ask, bearer } from './ask.ts';

let settings: Record<string, string>;
let key: string;
beforeEach(async () => {
  ({ settings, key } = await makeServed(await temporaryFolder(), 1_000_000));
});

const start = async () => await startGatewayProcess({ ...settings, LOG_LEVEL: 'info' });

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('requests of clients that do not read responses take less than 512 MB, other clients are served, and nothing is left to do when they have gone', async () => {
  const { url, operationsUrl, child } = await start();
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
  const packet = request.repeat(Math.floor(65_536 / request.length));
  const sockets = await Promise.all(Array.from({ length: 100 }, () => open(url)));
  for (const socket of sockets) {
    socket.pause();
    socket.write(packet);
  }
  for (let n = 0; n < 20; n++) {
    const answer = await ask(url, '/api/v1/brands', { headers: bearer(key) });
    expect(answer.status).toBe(200);
  }
  const metrics = await ask(operationsUrl, '/metrics');
  expect(metrics.text).toMatch(
    /^sightline_connections_refused_total\{reason="too_many_pipelined_requests"\} \d+/m,
  );
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  for (const socket of sockets) socket.destroy();
  expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024).toBeLessThan(512);
  let asleep = 0;
  const sleeps = async () => {
    // R for a process that has something to do, even if it waits for a core.
    const isAsleep = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).includes(') S ');
    asleep = isAsleep ? asleep + 1 : 0;
    return asleep === 20;
  };
  await until(sleeps, 'the process sleeps at 20 looks in a row', { everyMs: 20 });
});

describeWith(['nginx'], 'behind nginx with two gateways', () => {
  test('a client without a key is slowed down and then gets 429, and takes no gateway out of service by sending bodies', async () => {
    const balancer = await startNginx(await temporaryFolder(), [(await start()).url, (await start()).url]);
    const refusals: (string | undefined)[] = [];
    const statuses = new Set<number>();
    const over = new AbortController();
    const body = 'x'.repeat(60_000);
    const askAgainAndAgain = async () => {
      while (!over.signal.aborted) {
        const { status, headers } = await ask(balancer.url, '/api/v1/brands', { body });
        statuses.add(status);
        if (status !== 401) refusals.push(headers['retry-after']);
      }
    };
    // More than the 200 that may wait; with the good key less than the 300 at once that an address may have of any
    // kind. So a slow gateway changes nothing.
    const flood = Promise.allSettled(Array.from({ length: 280 }, askAgainAndAgain));
    for (const wanted of [1, 20, 40, 60]) {
      await until(() => refusals.length >= wanted);
      const good = await ask(balancer.url, '/api/v1/brands', { headers: bearer(key) });
      expect(good.status).toBe(200);
    }
    over.abort();
    await balancer.stop(); // ends those that still wait
    await flood;
    expect(statuses).toEqual(new Set([401, 429]));
    expect(new Set(refusals)).toEqual(new Set(['10']));
  });
});
