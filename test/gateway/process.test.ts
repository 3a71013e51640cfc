/** @module-tag black-box */
import { connect, createServer } from 'node:net';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acme, ORIGIN, publishBrands, testLog } from '../adapters/publish.ts';
import { createKey, makeRecords, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { settingsOf, workspaceId } from '../adapters/read-over-http.ts';
import { ask, bearer } from './ask.ts';
import { runProgram, startGatewayProcess } from '../support/program.ts';
import { until } from '../support/until.ts';

let folder: string;
let settings: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-process-'));
  await mkdir(join(folder, 'store'));
  settings = {
    STORE_URL: join(folder, 'store'),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    HOST: '127.0.0.1',
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Publishes a snapshot, and sets what a reader of its log needs. */
async function publish(): Promise<void> {
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  Object.assign(settings, settingsOf(log));
}

describe('the gateway as a process', () => {
  test('serves, logs each request without its key, and ends with status 0 on SIGTERM', async () => {
    await publish();
    const records = openRecords(folder);
    await setPlan(records, workspaceId, 'agency', null);
    const key = await createKey(records, workspaceId);
    const gateway = await startGatewayProcess(settings);
    const answer = await ask(gateway.url, '/api/v1/brands', {
      headers: [...bearer(key), 'X-Note', 'hunter2'],
    });
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '60']);
    expect((await ask(gateway.url, '/openapi.json')).status).toBe(200);
    await records.revokeKey(key.slice(0, 12));
    expect((await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) })).status).toBe(401);
    await records.close();
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
  });

  test('starts before the first publication, is not ready, and serves it once it is there, with its key', async () => {
    const records = openRecords(folder);
    await setPlan(records, workspaceId, 'agency', null);
    const key = await createKey(records, workspaceId);
    const place = join(folder, 'place');
    await mkdir(join(place, '.data/keys'), { recursive: true });
    await symlink(join(process.cwd(), 'gateway'), join(place, 'gateway'));
    const environment = { ...settings, LOG_ORIGIN: ORIGIN, STORE_REFRESH_SECONDS: '1' };
    const gateway = await startGatewayProcess(environment, [`cd ${place}`]);
    const status = async (url: string, path: string) =>
      (await ask(url, path, { headers: bearer(key) })).status;
    const isReady = async () => (await status(gateway.operationsUrl, '/readyz')) === 200;
    expect(await isReady()).toBe(false);
    expect(await status(gateway.operationsUrl, '/healthz')).toBe(200);
    expect(await status(gateway.url, '/api/v1/brands')).toBe(500);
    const publicKey = async () => (await ask(gateway.url, '/explore/public-key.pem')).text;
    expect(await publicKey()).toBe('');
    await publish();
    await copyFile(settings['PUBLIC_KEY_FILE']!, join(place, '.data/keys/sightline.public.pem'));
    await until(isReady, 'the gateway is ready');
    expect(await status(gateway.url, '/api/v1/brands')).toBe(200);
    expect(await publicKey()).toBe(await readFile(settings['PUBLIC_KEY_FILE']!, 'utf8'));
    expect((await records.listCheckpoints()).map(({ origin }) => origin)).toEqual([ORIGIN]);
    await records.close();
    gateway.child.kill('SIGINT');
    expect(await gateway.ended).toBe(0);
  });
});

const refusedBy = async (wrong: Record<string, string>) =>
  await runProgram('gateway/main.ts', [], { PORT: '0', METRICS_PORT: '0', ...settings, ...wrong });

describe('a gateway that cannot start reports one line and leaves nothing', () => {
  test.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['STORE_URL', 'ftp://x'],
    ['RECORDS_URL', 'records.db'],
    ['LOG_LEVEL', 'loud'],
    ['STORE_REFRESH_SECONDS', '0'],
    ['DOCUMENT_CACHE_BYTES', '64MB'],
    ['METRICS_PORT', 'none'],
  ])('%s=%s', async (name, value) => {
    const ended = await refusedBy({ [name]: value });
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^sightline: setting does not parse: ${name}: [^\n]*\n$`));
    expect(await readdir(folder)).toEqual(['store']);
  });

  test('a store that does not exist', async () => {
    const ended = await refusedBy({ STORE_URL: join(folder, 'nowhere') });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toBe(
      `sightline: store ${folder}/nowhere does not exist; the weekly job creates it\n`,
    );
    expect(await readdir(folder)).toEqual(['store']);
  });

  test('a store that cannot be read', async () => {
    await symlink('log', join(folder, 'store/log')); // a link to itself cannot be read, even by root
    const ended = await refusedBy({});
    expect(ended).toMatchObject({ status: 3, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: [^\n]*log\/none cannot be read: ELOOP[^\n]*\n$/);
    expect(await readdir(folder)).toEqual(['store']);
  });

  test('records that are not a database', async () => {
    await writeFile(join(folder, 'records.db'), 'no database at all, but a note that is long enough');
    const ended = await refusedBy({});
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      new RegExp(`^sightline: records file ${folder}/records.db cannot be opened: .*\n$`),
    );
  });

  test('records that do not exist, or a file without records: it says how to make them, and makes none', async () => {
    const path = join(folder, 'below/records.db');
    const RECORDS_URL = `sqlite:${path}`;
    const complaint = (what: string) =>
      `sightline: records file ${path} ${what}: correct RECORDS_URL, or create the records with "npm run records -- migrate" or "workspace set"\n`;
    const missing = { status: 1, stdout: '', stderr: complaint('does not exist') };
    expect(await refusedBy({ RECORDS_URL })).toEqual(missing);
    expect(await readdir(folder)).toEqual(['store']);
    await mkdir(dirname(path));
    await writeFile(path, '');
    const empty = { status: 1, stdout: '', stderr: complaint('contains no records') };
    expect(await refusedBy({ RECORDS_URL })).toEqual(empty);
    expect((await stat(path)).size).toBe(0);
  });

  test('a log, and no key to check it with: it says what to set', async () => {
    await publish();
    await makeRecords(folder);
    const place = join(folder, 'place');
    await mkdir(place);
    await symlink(join(process.cwd(), 'gateway'), join(place, 'gateway'));
    const { PUBLIC_KEY_FILE: _key, ...others } = settings;
    const env = { PATH: process.env['PATH'], ...others, PORT: '0', METRICS_PORT: '0' };
    const ended = spawnSync(process.execPath, ['gateway/main.ts'], { cwd: place, env, encoding: 'utf8' });
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: there is no public key .* set PUBLIC_KEY_FILE [^\n]*\n$/);
  });

  test('a store in a bucket, and no name of its log', async () => {
    const ended = await refusedBy({ STORE_URL: 's3://bucket/store' });
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: LOG_ORIGIN is not set: [^\n]*\n$/);
  });

  test('a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    await makeRecords(folder);
    const { port } = taken.address() as { port: number };
    const ended = await refusedBy({ PORT: String(port) });
    taken.close();
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toBe(`sightline: HOST 127.0.0.1, PORT ${port}: another program listens there\n`);
  });

  test('a host of another machine', async () => {
    await makeRecords(folder);
    const ended = await refusedBy({ HOST: '192.0.2.1' });
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/^sightline: HOST 192\.0\.2\.1, PORT 0: cannot listen: .*\n$/);
  });
});

async function startServing(more: Record<string, string>) {
  await publish();
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', null);
  const key = await createKey(records, workspaceId);
  await records.close();
  return { key, gateway: await startGatewayProcess({ ...settings, ...more }) };
}

describe('a stopping gateway', () => {
  test('is no longer ready, and still responds while it drains', async () => {
    const { key, gateway } = await startServing({ DRAIN_SECONDS: '60' });
    expect((await ask(gateway.operationsUrl, '/readyz')).status).toBe(200);
    expect((await ask(gateway.operationsUrl, '/healthz')).status).toBe(200);
    gateway.child.kill('SIGTERM');
    while ((await ask(gateway.operationsUrl, '/readyz')).status === 200) await new Promise(setImmediate);
    expect((await ask(gateway.operationsUrl, '/healthz')).status).toBe(200);
    expect((await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) })).status).toBe(200);
    gateway.child.kill('SIGKILL');
    await gateway.ended;
  });

  test('after that waits for open connections only up to its limit, and exits with status 0', async () => {
    const { gateway } = await startServing({ DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: '1' });
    const { port } = new URL(gateway.url);
    const idle = connect(Number(port), '127.0.0.1');
    const halfSent = connect(Number(port), '127.0.0.1');
    for (const socket of [idle, halfSent]) socket.on('error', () => undefined);
    halfSent.write('GET /api/v1/brands HTTP/1.1\r\nHost: x\r\nX-Slow');
    await ask(gateway.url, '/openapi.json'); // by now the server has seen the other two
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });

  test('leaves records that another process finds intact', async () => {
    const { key, gateway } = await startServing({});
    await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) });
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    expect((await readdir(folder)).filter((name) => name.startsWith('records'))).toEqual(['records.db']);
    const records = openRecords(folder);
    expect((await records.listKeys(workspaceId))[0]!.lastUsedAt).not.toBeNull();
    await records.close();
  });
});

test('a second gateway on the same machine takes another port for operators, unless the port is set', async () => {
  await makeRecords(folder);
  const first = await startGatewayProcess(settings);
  const { port } = new URL(first.operationsUrl);
  const ended = await refusedBy({ METRICS_PORT: port });
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toBe(
    `sightline: METRICS_HOST 127.0.0.1, METRICS_PORT ${port}: another program listens there\n`,
  );
  const usual = [
    await startGatewayProcess({ ...settings, METRICS_PORT: '' }),
    await startGatewayProcess({ ...settings, METRICS_PORT: '' }),
  ];
  expect(new Set(usual.map(({ operationsUrl }) => operationsUrl)).size).toBe(2);
  for (const { child, ended: end } of [first, ...usual]) {
    child.kill('SIGTERM');
    expect(await end).toBe(0);
  }
});
