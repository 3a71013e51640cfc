/** @module-tag black-box */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acme, publishBrands, testLog } from '../adapters/publish.ts';
import type { TestLog } from '../adapters/publish.ts';
import { createKey, openRecords, setPlan, settingsOf, workspaceId } from '../adapters/read-over-http.ts';
import { startNginx } from '../rehearsal/nginx.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';
import { ask, bearer } from './ask.ts';
import { startGatewayProcess } from '../support/program.ts';
import type { RunningGatewayProcess } from '../support/program.ts';

let folder: string;
let log: TestLog;
let key: string;
let gateways: RunningGatewayProcess[];

const start = async () => {
  const settings = {
    ...settingsOf(log),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
  };
  gateways.push(await startGatewayProcess(settings));
  return gateways.at(-1)!;
};

beforeEach(async () => {
  gateways = [];
  folder = await mkdtemp(join(tmpdir(), 'sightline-flood-'));
  log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', 1_000_000);
  key = await createKey(records, workspaceId);
  await records.close();
});
afterEach(async () => {
  for (const { child, ended } of gateways) {
    child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

/** `S` for a process that sleeps, `R` for one that has something to do, even if it waits for a core. */
async function stateOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]![0]!;
}

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('requests of clients that do not read responses', () => {
  test('take less than 512 MB, other clients are served, and nothing is left to do when they have gone', async () => {
    const { url, child } = await start();
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
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    for (const socket of sockets) socket.destroy();
    expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1024).toBeLessThan(512);
    let asleep = 0;
    const sleeps = async () => {
      asleep = (await stateOf(child.pid!)) === 'S' ? asleep + 1 : 0;
      return asleep === 20;
    };
    await until(sleeps, 'the process sleeps at 20 looks in a row', { everyMs: 20 });
  });
});

describeWith(['nginx'], 'behind nginx with two gateways', () => {
  test('a client without a key that sends bodies does not take a gateway out of service', async () => {
    const balancer = await startNginx(join(folder, 'nginx'), [(await start()).url, (await start()).url]);
    const body = Buffer.alloc(60_000, 'x');
    const head = `GET /api/v1/brands HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    const attack = async () => {
      const socket = await open(balancer.url);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
      socket.write(head);
      socket.write(body);
      await until(() => answer.includes('\r\n\r\n') || socket.destroyed);
      socket.destroy();
      return answer.slice(9, 12);
    };
    const statuses = { attacker: new Set<string>(), client: new Set<number>() };
    for (let round = 0; round < 10; round++) {
      const attackers = Array.from({ length: 4 }, attack);
      for (let n = 0; n < 4; n++) {
        const good = await ask(balancer.url, '/api/v1/brands', { headers: bearer(key) });
        statuses.client.add(good.status);
      }
      for (const attacker of attackers) statuses.attacker.add(await attacker);
    }
    await balancer.stop();
    expect(statuses.client).toEqual(new Set([200]));
    // The sample configuration delays further 401s, and responds 429 beyond that.
    expect(statuses.attacker).not.toContain('500');
  });

  test('an address that only gets 401 is slowed down and then gets 429; a good key at the same address is not', async () => {
    const balancer = await startNginx(join(folder, 'nginx'), [(await start()).url, (await start()).url]);
    const first = await ask(balancer.url, '/api/v1/brands');
    expect([first.status, first.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(first.text).toContain('missing_key');
    const refusals: (string | undefined)[] = [];
    const statuses = new Set<number>();
    const over = new AbortController();
    const askAgainAndAgain = async () => {
      while (!over.signal.aborted) {
        const { status, headers } = await ask(balancer.url, '/api/v1/brands');
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
