/** @module-tag black-box */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acme, publishBrands, testLog } from '../adapters/publish.ts';
import { createKey, openRecords, setPlan, settingsOf, workspaceId } from '../adapters/read-over-http.ts';
import { describeWith } from '../support/requires.ts';
import { ask, bearer } from './ask.ts';
import { startGatewayProcess } from '../support/program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-disk-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Limits the size of files to their current size, which is a full disk for SQLite. */
function limitFiles(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
  if (status !== 0) throw new Error(stderr.toString());
}

describeWith(['prlimit'], 'SQLite', () => {
  test('on a full disk no request is admitted; after space is freed all are, without a restart', async () => {
    const log = await testLog(folder);
    await publishBrands(log, workspaceId, [acme]);
    const records = openRecords(folder);
    await setPlan(records, workspaceId, 'agency', 1_000_000);
    const key = await createKey(records, workspaceId);
    await records.close();
    const gateway = await startGatewayProcess(
      { ...settingsOf(log), RECORDS_URL: `sqlite:${join(folder, 'records.db')}` },
      ["trap '' XFSZ"], // the signal that comes with the limit would end the process; a full disk sends none
    );
    const statusOf = async () => (await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) })).status;
    expect(await statusOf()).toBe(200);
    limitFiles(gateway.child.pid!, '4096');
    // The WAL has some free space left before it must grow.
    while ((await statusOf()) === 200);
    expect([await statusOf(), await statusOf()]).toEqual([500, 500]);
    limitFiles(gateway.child.pid!, 'unlimited');
    expect(await statusOf()).toBe(200);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });
});
