import { createServer } from 'node:net';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { directoryStore } from '../../lib/store/directory.ts';
import { openSqliteRecords } from '../../gateway/records/sqlite.ts';
import { ask, bearer } from './ask.ts';
import { createKey, setPlan, workspaceId } from './gateway.ts';
import { runProgram, startGatewayProcess } from './program.ts';
import { acme, publishBrands } from './snapshots.ts';

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

describe('the gateway as a process', () => {
  test('serves, logs each request without its key, and ends with status 0 on SIGTERM', async () => {
    await publishBrands(directoryStore(settings['STORE_URL']!), workspaceId, [acme]);
    const records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
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
    expect(await gateway.ended).toBe(0);
    const log = gateway.log.join('\n');
    expect(log).toContain(`"requestId":"${answer.headers['x-request-id'] as string}"`);
    expect(log).not.toContain(key.slice(0, 12));
    expect(log).not.toContain('hunter2');
    expect(JSON.parse(gateway.log.at(-1)!)).toMatchObject({ msg: 'stopped' });
  });

  test('serves a store and records that are still empty', async () => {
    const gateway = await startGatewayProcess(settings);
    expect((await ask(gateway.url, '/api/v1/brands')).status).toBe(401);
    gateway.child.kill('SIGINT');
    expect(await gateway.ended).toBe(0);
  });
});

const refusedBy = async (wrong: Record<string, string>) =>
  await runProgram('gateway/main.ts', [], { PORT: '0', METRICS_PORT: '0', ...settings, ...wrong });

describe('a gateway that cannot start says why in one line, ends with status 1 and leaves nothing', () => {
  test.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['STORE_URL', 'ftp://x'],
    ['RECORDS_URL', 'records.db'],
    ['LOG_LEVEL', 'loud'],
    ['POINTER_REFRESH_SECONDS', '0'],
    ['DOCUMENT_CACHE_BYTES', '64MB'],
  ])('%s=%s', async (name, value) => {
    const ended = await refusedBy({ [name]: value });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^sightline: setting does not parse: ${name}: [^\n]*\n$`));
    expect(await readdir(folder)).toEqual(['store']);
  });

  test('a store that is not there', async () => {
    const ended = await refusedBy({ STORE_URL: join(folder, 'nowhere') });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toBe(`sightline: store ${folder}/nowhere does not exist\n`);
    expect(await readdir(folder)).toEqual(['store']);
  });

  test('records that are no database', async () => {
    await writeFile(join(folder, 'records.db'), 'no database at all, but a note that is long enough');
    const ended = await refusedBy({});
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      new RegExp(`^sightline: records file ${folder}/records.db cannot be opened: .*\n$`),
    );
  });

  test('a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const ended = await refusedBy({ PORT: String(port) });
    taken.close();
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toBe(`sightline: HOST 127.0.0.1, PORT ${port}: another program listens there\n`);
  });

  test('a host that is not ours', async () => {
    const ended = await refusedBy({ HOST: '192.0.2.1' });
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/^sightline: HOST 192\.0\.2\.1, PORT 0: cannot listen: .*\n$/);
  });
});
