/** @module-tag black-box */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { killAfterTest, startGatewayProcess } from '../support/program.ts';
import { until } from '../support/until.ts';
import { ask } from './ask.ts';
import { makeRecords } from '../adapters/read-over-http.ts';

/** An empty store and empty records. */
async function place() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'store'));
  await makeRecords(folder);
  return { settings: { STORE_URL: join(folder, 'store'), RECORDS_URL: `sqlite:${folder}/records.db` } };
}

test('a gateway of infra/sightline opens no debugger on SIGUSR1, and stops on SIGHUP as on SIGTERM', async () => {
  const { settings } = await place();
  const env = { PATH: process.env['PATH'], ...settings, PORT: '0', METRICS_PORT: '0' };
  const child = spawn('infra/sightline', ['gateway'], { env });
  killAfterTest(child);
  const ended = new Promise((done) => child.once('close', done));
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  await new Promise<void>((done) =>
    child.stdout.on('data', (bytes) => String(bytes).includes('"serving"') && done()),
  );
  child.kill('SIGUSR1');
  child.kill('SIGHUP');
  expect(await ended).toBe(0);
  expect(await stderr).toBe('');
  const lines = (await stdout)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; time: number });
  expect(lines.map(({ msg }) => msg)).toEqual(['serving', 'stopping', 'stopped']);
  expect(lines[2]!.time - lines[1]!.time).toBeGreaterThan(2900); // it drains, because this is no terminal
});

test('a gateway that may open few files logs a lower limit of connections once, and logs and counts those that it refuses', async () => {
  const { settings } = await place();
  const gateway = await startGatewayProcess(settings, ['ulimit -n 100']);
  const lowered = gateway.log.map((line) => JSON.parse(line) as object);
  expect(lowered[0]).toMatchObject({ connections: 50, openFiles: 100 });
  const { port } = new URL(gateway.url);
  const sockets: Socket[] = [];
  await until(async () => {
    sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    sockets.at(-1)!.write('GET /docs HTTP/1.1\r\nX-Slow'); // not idle, so it is not closed to make room
    const { text: metrics } = await ask(gateway.operationsUrl, '/metrics');
    return /^sightline_connections_refused_total\{reason="too_many_connections"\} \d+$/m.test(metrics);
  });
  expect(sockets.length).toBeGreaterThan(50);
  await until(() => gateway.log.join().includes('"msg":"a connection was refused"'));
  for (const socket of sockets) socket.destroy();
  await until(async () => (await ask(gateway.url, '/docs').catch(() => null))?.status === 200);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
});
