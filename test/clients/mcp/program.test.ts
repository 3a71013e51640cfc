import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { exampleDocuments, startDescribedGateway } from '../../gateway/described-gateway.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithClients, node20, pack, root, run } from '../tools.ts';

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

/** The configurations of the page for assistants that start the server. */
const local = blocksOf(pageText('clients/mcp/README.md'))
  .filter(({ mark }) => mark.startsWith('assistant: '))
  .map(({ text: json }) => {
    type Servers = Record<string, { command: string; args: string[] }>;
    const { mcpServers, servers } = JSON.parse(json) as Record<string, Servers>;
    return (servers ?? mcpServers)!['sightline']!;
  });

/** The parts of the official client that the test uses. */
interface OfficialClient {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  callTool(call: object): Promise<{ content: { text: string }[] }>;
}

async function official<Module>(name: string): Promise<Module> {
  const resolve = createRequire(join(root, 'clients/mcp/package.json')).resolve;
  return (await import(pathToFileURL(resolve(`@modelcontextprotocol/${name}`)).href)) as Module;
}

/** Lists the brands with the official client, by the version of the protocol that it begins with. */
async function expectBrands(transport: object, mode: 'legacy' | 'auto' = 'legacy'): Promise<void> {
  const { Client } = await official<{ Client: new (...args: object[]) => OfficialClient }>('client');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'list_brands', arguments: {} });
  expect(JSON.parse(content[0]!.text)).toMatchObject({ data: exampleDocuments.brands });
  await client.close();
}

const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;

describeWithClients('the packed server, installed in an empty folder', () => {
  test('starts as every configuration of the page says, also on Node 20, and serves over HTTP until SIGTERM', async () => {
    const folder = await temporaryFolder();
    const packed = await pack('mcp', folder);
    expect(packed.paths.toSorted()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];
    const install = ['install', ...quietly, '--prefix', folder, packed.file];
    // Behind a proxy, npm needs the machine's certificates to ask the registry for the other dependencies.
    await run('npm', install, folder, { HOME, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) });
    const gateway = await startDescribedGateway();
    onTestFinished(() => gateway.close());
    const env = { PATH, HOME, SIGHTLINE_URL: gateway.base };
    // All assistants are told to start the same program.
    const [{ command, args }, ...others] = local as [(typeof local)[0], ...typeof local];
    for (const other of others) expect(other).toMatchObject({ command, args });
    const program = args.map((arg) => arg.replace('/path/to/', join(folder, 'node_modules/')));
    const { StdioClientTransport } = await official<{
      StdioClientTransport: new (server: object) => { stderr: Readable };
    }>('client/stdio');
    for (const runtime of [command, node20!]) {
      const settings = { ...env, SIGHTLINE_API_KEY: gateway.key };
      const started = { command: runtime, args: program, env: settings, cwd: folder, stderr: 'pipe' };
      const transport = new StdioClientTransport(started);
      const stderr = text(transport.stderr);
      await expectBrands(transport);
      expect(await stderr).toBe('');
    }
    const server = spawn(command, [...program, '--http'], {
      env: { ...env, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [line] = (await once(createInterface(server.stderr), 'line')) as [string];
    const address = /^sightline-mcp: serving (http:\/\/127\.0\.0\.1:\d+\/mcp)$/.exec(line)![1]!;
    const { StreamableHTTPClientTransport } = await official<{
      StreamableHTTPClientTransport: new (url: URL, options: object) => object;
    }>('client');
    const requestInit = { headers: { authorization: `Bearer ${gateway.key}` } };
    for (const mode of ['legacy', 'auto'] as const)
      await expectBrands(new StreamableHTTPClientTransport(new URL(address), { requestInit }), mode);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });
});
