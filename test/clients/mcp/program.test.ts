import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { brandId, exampleDocuments } from '../../gateway/described-gateway.ts';
import { setPlan } from '../../gateway/gateway.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { compileCache, describeWithClients, node20, pack, run } from '../tools.ts';
import { connectAssistant, serverOf, startAssistant, startWorkspace } from './mcp.ts';
import type { Server } from './mcp.ts';

/** `sightline-mcp --http` without a key of its own, on a free port. */
async function startHttp(url: string) {
  const { command, args, env } = serverOf({ SIGHTLINE_URL: url, PORT: '0' });
  const server = spawn(command, [...args, '--http'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    return await exited;
  };
  onTestFinished(async () => void (await stop()));
  const [line] = (await once(createInterface(server.stderr), 'line')) as [string];
  const address = /^sightline-mcp: serving (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(line)![1]!;
  return { address, stop };
}

async function post(url: string, headers: Record<string, string>, body = '{}'): Promise<Response> {
  const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
}

describeWithClients('over HTTP', () => {
  test('each caller reads the own workspace with the own key, by one request for a call', async () => {
    const { gateway } = await startWorkspace();
    const { address } = await startHttp(gateway.base);
    const visibility = { brand: brandId, document: 'visibility', trend: true };
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
    const unverified = await own.failure('verify_document', { brand: brandId, document: 'sources' });
    expect(unverified).toMatchObject({ code: 'not_configured' });
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    expect(await own.failure('get_document', visibility)).toMatchObject({ code: 'invalid_key' });
  });

  test('requests without a key, other paths, sessions and large bodies are refused, and SIGTERM ends it with status 0', async () => {
    const { address, stop } = await startHttp('http://127.0.0.1:1');
    const key = { authorization: `Bearer vis_${'0'.repeat(48)}` };
    for (const headers of [{}, { authorization: 'Bearer vis_short' }, { 'x-api-key': key.authorization }]) {
      const response = await post(address, headers);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await response.json()).toMatchObject({ error: { code: 'missing_key' } });
    }
    expect((await post(new URL('/', address).href, key)).status).toBe(404);
    expect((await fetch(address, { headers: key })).status).toBe(405);
    expect((await post(address, key, JSON.stringify({ a: 'a'.repeat(200_000) }))).status).toBe(413);
    expect((await post(address, key, 'no JSON')).status).toBe(400);
    expect(await stop()).toEqual([0, null]);
  });
});

function runServer(env: Record<string, string>, ...words: string[]) {
  const { command, args } = serverOf({});
  const options = { env: { ...compileCache, ...env }, encoding: 'utf8', input: '' } as const;
  const { status, stdout, stderr } = spawnSync(command, [...args, ...words], options);
  return { status, stdout, stderr };
}

describeWithClients('the program', () => {
  test('settings that are wrong end the server with one line; --help names every variable', () => {
    const key = `vis_${'0123456789ab'.repeat(4)}`;
    const sound = { SIGHTLINE_URL: 'http://127.0.0.1:1', SIGHTLINE_API_KEY: key };
    const noFile = 'SIGHTLINE_PUBLIC_KEY_FILE: cannot read nowhere.pem (ENOENT)';
    for (const [wrong, line] of [
      [{ SIGHTLINE_URL: '' }, 'SIGHTLINE_URL is not set: the address of the gateway, https://…'],
      [
        { SIGHTLINE_API_KEY: `${key}f` },
        'SIGHTLINE_API_KEY is not a key: vis_ and 48 hexadecimal characters',
      ],
      [{ SIGHTLINE_PUBLIC_KEY_FILE: 'nowhere.pem' }, noFile],
    ] as const) {
      const ended = { status: 1, stdout: '', stderr: `sightline-mcp: ${line}\n` };
      expect(runServer({ ...sound, ...wrong })).toEqual(ended);
    }
    const { status, stdout } = runServer({}, '--help');
    expect(status).toBe(0);
    for (const name of [...Object.keys(sound), 'SIGHTLINE_PUBLIC_KEY_FILE']) expect(stdout).toContain(name);
    // It ends when its standard input does.
    expect(runServer(sound)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;

/** The configurations of the page for assistants that start the server. */
const local = blocksOf(pageText('clients/mcp/README.md'))
  .filter(({ mark }) => mark.startsWith('assistant: '))
  .map(({ text }) => {
    const { mcpServers, servers } = JSON.parse(text) as Record<string, Record<string, Server>>;
    return (servers ?? mcpServers)!['sightline']!;
  });

test('no page installs or runs a package by a name that anybody could register', () => {
  const texts = projectFiles().filter((path) => /\.(?:md|json|ts|ya?ml|html)$/.test(path));
  const byName =
    /\bnp[mx]\s+(?:(?:install|i|exec|-y|--yes|-g|--global)\s+)*sightline-(?:client|mcp)(?![-\w]|@npm:@)/;
  const inConfiguration = /"command":\s*"npx",\s*"args":\s*\[(?:\s*"-[\w-]+",)*\s*"sightline-/;
  const found = texts.filter((path) => byName.test(textOf(path)) || inConfiguration.test(textOf(path)));
  expect(found).toEqual([]);
  for (const name of ['typescript', 'mcp']) {
    const { private: isPrivate, ...rest } = JSON.parse(textOf(`clients/${name}/package.json`)) as {
      private: boolean;
    };
    expect(isPrivate).toBe(true);
    expect(JSON.stringify(rest)).not.toMatch(/"sightline-client":"(?!dist\/)/);
  }
});

describeWithClients('the packed server, installed in an empty folder', () => {
  test('starts as every configuration of the page says, also on Node 20', async () => {
    const folder = await temporaryFolder();
    const packed = await pack('mcp', folder);
    expect(packed.paths.toSorted()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
    const install = ['install', ...quietly, '--prefix', folder, packed.file];
    // Behind a proxy, npm needs the machine's certificates to ask the registry for the other dependencies.
    await run('npm', install, folder, { HOME, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) });
    const { env } = await startWorkspace();
    // All assistants are told to start the same program.
    const [{ command, args }, ...others] = local as [Server, ...Server[]];
    for (const other of others) expect(other).toMatchObject({ command, args });
    for (const runtime of [command, node20!]) {
      const assistant = await startAssistant({
        command: runtime,
        args: args.map((arg) => arg.replace('/path/to/', join(folder, 'node_modules/'))),
        env: { PATH, HOME, ...env },
        cwd: folder,
      });
      expect((await assistant.call('list_brands')).data).toEqual(exampleDocuments.brands);
      expect(await assistant.end()).toBe('');
    }
  });
});
