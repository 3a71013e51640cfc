/** @module-tag black-box */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { killAfterTest } from '../support/program.ts';
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
