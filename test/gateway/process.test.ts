/** @module-tag black-box */
import { connect } from 'node:net';
import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { acme, ORIGIN, publishBrands, testLog } from '../adapters/publish.ts';
import { createKey, makeRecords, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { settingsOf, workspaceId } from '../adapters/read-over-http.ts';
import { ask, bearer } from './ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { killAfterTest, runProgram, startGatewayProcess } from '../support/program.ts';
import { until } from '../support/until.ts';

let folder: string;
let settings: Record<string, string>;

beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'store'));
  settings = {
    STORE_URL: join(folder, 'store'),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    HOST: '127.0.0.1',
  };
});

/** Publishes a snapshot, and sets what a reader of its log needs. */
async function publish(): Promise<void> {
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  Object.assign(settings, settingsOf(log));
}

/** Publishes, makes a key, and starts a gateway. */
async function startServing(more: Record<string, string> = {}) {
  await publish();
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', null);
  const key = await createKey(records, workspaceId);
  await records.close();
  return { key, gateway: await startGatewayProcess({ ...settings, ...more }) };
}

describe('the gateway as a process', () => {
  test('serves, logs each request without its key, and ends with status 0 on SIGTERM', async () => {
    const { key, gateway } = await startServing();
    const answer = await ask(gateway.url, '/api/v1/brands', {
      headers: [...bearer(key), 'X-Note', 'hunter2'],
    });
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '60']);
    expect((await ask(gateway.url, '/openapi.json')).status).toBe(200);
    const records = openRecords(folder);
    await records.revokeKey(key.slice(0, 12));
    await records.close();
    expect((await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) })).status).toBe(401);
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

/** A setting, or what is there, with the exit status and what the line says. */
const refusals: [string, Record<string, string>, () => unknown, number, RegExp][] = [
  ['a setting that does not parse', { PORT: '65536' }, () => undefined, 2, /setting does not parse: PORT: /],
  [
    'a store that does not exist',
    { STORE_URL: '/nowhere' },
    () => undefined,
    1,
    /store \/nowhere does not exist; the weekly job creates it$/,
  ],
  [
    'a store that cannot be read',
    {},
    () => symlink('log', join(folder, 'store/log')), // a link to itself cannot be read, even by root
    3,
    /log\/none cannot be read: ELOOP/,
  ],
  [
    'a store in a bucket, and no name of its log',
    { STORE_URL: 's3://bucket/store' },
    () => undefined,
    2,
    /LOG_ORIGIN is not set: /,
  ],
  [
    'records that are not a database',
    {},
    () => writeFile(join(folder, 'records.db'), 'no database at all, but a note that is long enough'),
    1,
    /records file \S+ cannot be opened: /,
  ],
  [
    'a host of another machine',
    { HOST: '192.0.2.1' },
    () => makeRecords(folder),
    1,
    /HOST 192\.0\.2\.1, PORT 0: cannot listen: /,
  ],
];

describe('a gateway that cannot start reports one line and makes no records', () => {
  test.each(refusals)('%s', async (_what, wrong, prepare, status, said) => {
    await prepare();
    const before = await readdir(folder);
    const ended = await refusedBy(wrong);
    expect(ended).toMatchObject({ status, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: [^\n]*\n$/);
    expect(ended.stderr.trimEnd()).toMatch(said);
    expect(await readdir(folder)).toEqual(before);
  });

  test('records that do not exist, or a file without records: it says how to make them, and makes none', async () => {
    const path = join(folder, 'records.db');
    const complaint = (what: string) =>
      `sightline: records file ${path} ${what}: correct RECORDS_URL, or create the records with "npm run records -- migrate" or "workspace set"\n`;
    const missing = { status: 1, stdout: '', stderr: complaint('does not exist') };
    expect(await refusedBy({})).toEqual(missing);
    await writeFile(path, '');
    expect(await refusedBy({})).toEqual({ ...missing, stderr: complaint('contains no records') });
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
});

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
    const { key, gateway } = await startServing();
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
  const both = [
    await startGatewayProcess({ ...settings, METRICS_PORT: '' }),
    await startGatewayProcess({ ...settings, METRICS_PORT: '' }),
  ];
  const [taken, other] = both.map(({ operationsUrl }) => new URL(operationsUrl).port);
  expect(other).not.toBe(taken);
  expect(await refusedBy({ METRICS_PORT: taken! })).toEqual({
    status: 1,
    stdout: '',
    stderr: `sightline: METRICS_HOST 127.0.0.1, METRICS_PORT ${taken}: another program listens there\n`,
  });
  for (const { child, ended } of both) {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});

test('a gateway that a defect ends says so in its log', async () => {
  const defect = join(folder, 'defect.mjs');
  const code = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a defect'); }));";
  await writeFile(defect, code);
  const { gateway } = await startServing({ NODE_OPTIONS: `--import=${defect}` });
  gateway.child.kill('SIGUSR2');
  expect(await gateway.ended).toBe(1);
  expect(JSON.parse(gateway.log.at(-1)!)).toMatchObject({
    level: 50,
    msg: 'ended by an uncaught error',
    reason: 'a defect',
    stack: expect.stringContaining('defect.mjs') as string,
  });
});

test('a gateway of infra/sightline opens no debugger on SIGUSR1, and stops on SIGHUP as on SIGTERM', async () => {
  await makeRecords(folder);
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
  const lines = (await stdout).trim().split('\n');
  const log = lines.map((line) => JSON.parse(line) as { msg: string; time: number });
  expect(log.map(({ msg }) => msg)).toEqual(['serving', 'stopping', 'stopped']);
  expect(log[2]!.time - log[1]!.time).toBeGreaterThan(2900); // it drains, because this is no terminal
});
