import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { setPlan } from '../../gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { compileCache, describeWithClients } from '../tools.ts';
import { brandId, connectAssistant, exampleDocuments, serverOf, startWorkspace } from './mcp.ts';

const visibility = { brand: brandId, document: 'visibility', trend: true };

/** A workspace, and `sightline-mcp --http` without a key of its own, on a free port. */
async function startHttp() {
  const { gateway, publish } = await startWorkspace();
  await publish('2026-11-17');
  const { command, args, env: cache } = serverOf({});
  const env = { ...cache, SIGHTLINE_URL: gateway.base, PORT: '0' };
  const server = spawn(command, [...args, '--http'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    return await exited;
  };
  onTestFinished(async () => void (await stop()));
  const [line] = (await once(createInterface(server.stderr), 'line')) as [string];
  const address = /^sightline-mcp: serving (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(line)![1]!;
  return { gateway, address, stop };
}

async function post(url: string, headers: Record<string, string>, body = '{}'): Promise<Response> {
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

describeWithClients('over HTTP', () => {
  test('serves each caller the own workspace with the own key, by one request for a call', async () => {
    const { gateway, address } = await startHttp();
    for (const era of ['legacy', 'auto'] as const) {
      const { client, call } = await connectAssistant(address, gateway.key, era);
      expect((await client.listTools()).tools).toHaveLength(6);
      expect((await call('get_document', visibility)).data).toEqual(exampleDocuments.visibility);
    }
    await until(() => gateway.observed.answered.length === 3); // the observer may be called after the response was read
    // The list once for a new week, for its as-of time.
    const expected = ['getVisibility', 'listSnapshots', 'getVisibility'];
    expect(gateway.observed.answered.map(({ route }) => route)).toEqual(expected);
    const other = '33333333-3333-4333-8333-333333333333';
    await setPlan(gateway.records, other, 'agency', null);
    const own = await connectAssistant(address, gateway.key);
    const stranger = await connectAssistant(address, await gateway.createKey(other));
    await own.call('get_document', visibility);
    expect(await stranger.failure('get_document', visibility)).toMatchObject({ code: 'not_found' });
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    expect(await own.failure('get_document', visibility)).toMatchObject({ code: 'invalid_key' });
  });

  test('refuses requests without a key, other paths, sessions and large bodies, and ends with status 0', async () => {
    const { gateway, address, stop } = await startHttp();
    const key = { authorization: `Bearer ${gateway.key}` };
    for (const headers of [{}, { authorization: 'Bearer vis_short' }, { 'x-api-key': gateway.key }]) {
      const response = await post(address, headers);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await response.json()).toMatchObject({ error: { code: 'missing_key' } });
    }
    expect((await post(new URL('/', address).href, key)).status).toBe(404);
    expect((await fetch(address, { headers: key })).status).toBe(405);
    expect((await post(address, key, JSON.stringify({ a: 'a'.repeat(200_000) }))).status).toBe(413);
    expect((await post(address, key, 'no JSON')).status).toBe(400);
    expect(gateway.observed.answered).toEqual([]);
    expect(await stop()).toEqual([0, null]);
  });
});

function run(env: Record<string, string>, ...words: string[]) {
  const { command, args } = serverOf({});
  const options = { env: { ...compileCache, ...env }, encoding: 'utf8', input: '' } as const;
  const { status, stdout, stderr } = spawnSync(command, [...args, ...words], options);
  return { status, stdout, stderr };
}

describeWithClients('the program', () => {
  test('settings that are wrong end the server with one line; --help names every variable', () => {
    const key = `vis_${'0123456789ab'.repeat(4)}`;
    const sound = { SIGHTLINE_URL: 'http://127.0.0.1:1', SIGHTLINE_API_KEY: key };
    for (const [wrong, line] of [
      [{ SIGHTLINE_URL: '' }, 'SIGHTLINE_URL is not set: the address of the gateway, https://…'],
      [
        { SIGHTLINE_API_KEY: `${key}f` },
        'SIGHTLINE_API_KEY is not a key: vis_ and 48 hexadecimal characters',
      ],
      [
        { SIGHTLINE_PUBLIC_KEY_FILE: 'nowhere.pem' },
        'SIGHTLINE_PUBLIC_KEY_FILE: cannot read nowhere.pem (ENOENT)',
      ],
    ] as const)
      expect(run({ ...sound, ...wrong })).toEqual({
        status: 1,
        stdout: '',
        stderr: `sightline-mcp: ${line}\n`,
      });
    const { status, stdout } = run({}, '--help');
    expect(status).toBe(0);
    for (const name of [...Object.keys(sound), 'SIGHTLINE_PUBLIC_KEY_FILE']) expect(stdout).toContain(name);
    expect(run(sound, '--nope').status).toBe(1);
    // It ends when its standard input does.
    expect(run(sound)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});
