/**
 * @module-tag long
 * @module-tag black-box
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { startUnreadGatewayProcess } from '../../support/program.ts';
import { makeRecords } from '../../adapters/read-over-http.ts';

/** Starts a gateway after lines of shell that redirect its standard output. */
async function startWith(...before: string[]) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'store'));
  await makeRecords(folder);
  const settings = {
    STORE_URL: join(folder, 'store'),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    HOST: '127.0.0.1',
  };
  return await startUnreadGatewayProcess(
    settings,
    before.map((line) => line.replaceAll('FOLDER', folder)),
  );
}

/** Enough lines to fill a pipe and the buffers before it. */
async function sendRequests(url: string): Promise<void> {
  const send = async () => {
    for (let n = 0; n < 100; n++) {
      const answer = await fetch(`${url}/api/v1/brands`);
      await answer.arrayBuffer();
      expect(answer.status).toBe(401);
    }
  };
  await Promise.all(Array.from({ length: 20 }, send));
}

describe.skipIf(process.platform !== 'linux')('a gateway whose standard output cannot be written', () => {
  test('because the disk is full, continues, counts dropped lines, and ends on SIGTERM', async () => {
    const { url, operationsUrl, child, ended } = await startWith('exec >/dev/full');
    const droppedLines = async () => {
      const metrics = await (await fetch(`${operationsUrl}/metrics`)).text();
      return Number(/^sightline_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
    };
    await sendRequests(url);
    await until(async () => (await droppedLines()) > 2000);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test.each([
    ['stalls', 'exec >FOLDER/pipe'],
    ['has ended', 'exec >FOLDER/pipe 3<&-'],
  ])('because its reader %s, continues, and ends on SIGTERM', async (_what, redirect) => {
    const { url, child, ended } = await startWith('mkfifo FOLDER/pipe', 'exec 3<>FOLDER/pipe', redirect);
    await sendRequests(url);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
