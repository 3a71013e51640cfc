/** @module-tag black-box */
import { chmod, copyFile, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { acme, ORIGIN, publishBrands, testLog } from '../adapters/publish.ts';
import {
  createKey,
  makeRecords,
  makeServed,
  openRecords,
  setPlan,
  workspaceId,
} from '../adapters/read-over-http.ts';
import { ask, bearer } from './ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startGatewayProcess, startUnreadGatewayProcess } from '../support/program.ts';
import { until } from '../support/until.ts';

let folder: string;
let settings: Record<string, string>;

beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'store'));
  settings = { STORE_URL: `${folder}/store`, RECORDS_URL: `sqlite:${folder}/records.db`, HOST: '127.0.0.1' };
});

async function startServing(more: Record<string, string> = {}) {
  const served = await makeServed(folder, null);
  return { key: served.key, gateway: await startGatewayProcess({ ...served.settings, ...more }) };
}

const statusOf = async (url: string, path: string, headers: string[] = []) =>
  (await ask(url, path, { headers })).status;

test('a gateway serves, logs each request without its key, ends with status 0 on SIGTERM, and leaves its records intact', async () => {
  const { key, gateway } = await startServing();
  const headers = [...bearer(key), 'X-Note', 'hunter2'];
  const answer = await ask(gateway.url, '/api/v1/brands', { headers });
  expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '60']);
  const records = openRecords(folder);
  expect((await records.listKeys(workspaceId))[0]!.lastUsedAt).not.toBeNull();
  await records.revokeKey(key.slice(0, 12));
  await records.close();
  expect(await statusOf(gateway.url, '/api/v1/brands', headers)).toBe(401);
  gateway.child.kill('SIGTERM');
  await until(() => gateway.log.some((line) => line.includes('"stopping"')));
  gateway.child.kill('SIGTERM'); // npm and a terminal each send one
  gateway.child.kill('SIGINT');
  expect(await gateway.ended).toBe(0);
  const log = gateway.log.join('\n');
  expect(log).toContain(`"requestId":"${answer.headers['x-request-id'] as string}"`);
  expect(log).not.toContain(key.slice(0, 12));
  expect(log).not.toContain('hunter2');
  expect(JSON.parse(gateway.log.at(-1)!)).toMatchObject({ msg: 'stopped' });
  expect((await readdir(folder)).filter((name) => name.startsWith('records'))).toEqual(['records.db']);
});

test('a gateway starts before the first publication, is not ready, and serves it once it is there, with its key', async () => {
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', null);
  const headers = bearer(await createKey(records, workspaceId));
  const place = join(folder, 'place');
  await mkdir(join(place, '.data/keys'), { recursive: true });
  await symlink(join(process.cwd(), 'gateway'), join(place, 'gateway'));
  const environment = { ...settings, LOG_ORIGIN: ORIGIN, STORE_REFRESH_SECONDS: '1' };
  const start = async () => await startGatewayProcess(environment, [`cd ${place}`]);
  const gateway = await start();
  const isReady = async () => (await statusOf(gateway.operationsUrl, '/readyz')) === 200;
  expect(await isReady()).toBe(false);
  expect(await statusOf(gateway.operationsUrl, '/healthz')).toBe(200);
  expect(await statusOf(gateway.url, '/api/v1/brands', headers)).toBe(500);
  const publicKey = async () => (await ask(gateway.url, '/explore/public-key.pem')).text;
  expect(await publicKey()).toBe('');
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  await expect(start()).rejects.toThrow(
    /^sightline: there is no public key .* set PUBLIC_KEY_FILE [^\n]*\n$/,
  );
  await copyFile(log.keys.publicKey, join(place, '.data/keys/sightline.public.pem'));
  await until(isReady, 'the gateway is ready');
  expect(await statusOf(gateway.url, '/api/v1/brands', headers)).toBe(200);
  expect(await publicKey()).toBe(await readFile(log.keys.publicKey, 'utf8'));
  expect((await records.listCheckpoints()).map(({ origin }) => origin)).toEqual([ORIGIN]);
  await records.close();
  gateway.child.kill('SIGINT');
  expect(await gateway.ended).toBe(0);
});

test('a gateway does not start with records that it cannot write', async () => {
  await makeRecords(folder);
  const path = join(folder, 'records.db');
  await chmod(path, 0o444);
  const asOwner = process.getuid?.() === 0 ? ['set -- setpriv --bounding-set=-dac_override "$@"'] : [];
  const line = `sightline: records file ${path} cannot be used: attempt to write a readonly database\n`;
  await expect(startGatewayProcess(settings, asOwner)).rejects.toThrow(new Error(line));
});

test('a gateway that drains is no longer ready, and still responds', async () => {
  const { key, gateway } = await startServing({ DRAIN_SECONDS: '60' });
  expect(await statusOf(gateway.operationsUrl, '/readyz')).toBe(200);
  gateway.child.kill('SIGTERM');
  await until(async () => (await statusOf(gateway.operationsUrl, '/readyz')) === 503);
  expect(await statusOf(gateway.operationsUrl, '/healthz')).toBe(200);
  expect(await statusOf(gateway.url, '/api/v1/brands', bearer(key))).toBe(200);
  gateway.child.kill('SIGKILL');
  await gateway.ended;
});

test('a gateway that a defect ends says so in its log', async () => {
  await makeRecords(folder);
  const defect = join(folder, 'defect.mjs');
  const code = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a defect'); }));";
  await writeFile(defect, code);
  const gateway = await startGatewayProcess({ ...settings, NODE_OPTIONS: `--import=${defect}` });
  gateway.child.kill('SIGUSR2');
  expect(await gateway.ended).toBe(1);
  const stack = expect.stringContaining('defect.mjs') as string;
  const msg = 'ended by an uncaught error';
  expect(JSON.parse(gateway.log.at(-1)!)).toMatchObject({ level: 50, msg, reason: 'a defect', stack });
});

test('a gateway of infra/sightline opens no debugger on SIGUSR1, and stops on SIGHUP as on SIGTERM', async () => {
  await makeRecords(folder);
  const gateway = await startGatewayProcess(settings, ['set -- infra/sightline gateway']);
  gateway.child.kill('SIGUSR1');
  gateway.child.kill('SIGHUP');
  expect(await gateway.ended).toBe(0);
  const said = gateway.log.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(said).toEqual(['serving', 'stopping', 'stopped']);
});

test.skipIf(process.platform !== 'linux')(
  'a gateway whose standard output cannot be written continues, counts dropped lines, and ends on SIGTERM',
  { tags: ['long'] },
  async () => {
    await makeRecords(folder);
    const before = ['exec >/dev/full'];
    const { url, operationsUrl, child, ended } = await startUnreadGatewayProcess(settings, before);
    // More lines than the buffer of the log has room for.
    const send = async () => {
      for (let n = 0; n < 60; n++) expect(await statusOf(url, '/api/v1/brands')).toBe(401);
    };
    await Promise.all(Array.from({ length: 10 }, send));
    await until(async () => {
      const metrics = await ask(operationsUrl, '/metrics');
      return Number(/^sightline_log_lines_dropped_total (\d+)$/m.exec(metrics.text)![1]) >= 600;
    });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  },
);
