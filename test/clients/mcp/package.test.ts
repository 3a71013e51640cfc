import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithClients, modules, pack, run } from '../tools.ts';
import { mcp, startAssistant } from './mcp.ts';
import type { Server } from './mcp.ts';
import { exampleDocuments, startWorkspace } from './workspace.ts';

const page = pageText('clients/mcp/README.md');
const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;

interface Configuration {
  mcpServers?: Record<string, Server>;
  servers?: Record<string, Server>;
}

const configurations = blocksOf(page)
  .filter(({ mark }) => mark.startsWith('assistant: '))
  .map(({ mark, text }) => {
    const { mcpServers, servers } = JSON.parse(text) as Configuration;
    return { assistant: mark.slice('assistant: '.length), server: (mcpServers ?? servers)!['sightline']! };
  });

test('schemas.json has the shapes and the engines of docs/openapi.json (npm run openapi)', async () => {
  const file = '../../../clients/mcp/schemas.ts';
  const { schemas } = (await import(file)) as { schemas: () => { engines: string[] } };
  expect(JSON.parse(await readFile(join(mcp, 'schemas.json'), 'utf8'))).toEqual(schemas());
  expect(schemas().engines).toEqual([...engineSlugs]);
});

test('the page has the configuration of three assistants', () => {
  expect(configurations.map(({ assistant }) => assistant)).toEqual(['Claude Desktop', 'VS Code', 'Cursor']);
  for (const { server } of configurations)
    expect(Object.keys(server.env)).toEqual(['SIGHTLINE_URL', 'SIGHTLINE_API_KEY']);
});

test('no page installs or runs a package by a name that anybody could register', () => {
  const texts = projectFiles().filter((path) => /\.(?:md|json|ts|ya?ml|html)$/.test(path));
  const byName =
    /\bnp[mx]\s+(?:(?:install|i|exec|-y|--yes|-g|--global)\s+)*sightline-(?:client|mcp)(?![-\w]|@npm:@)/;
  const inConfiguration = /"command":\s*"npx",\s*"args":\s*\[(?:\s*"-[\w-]+",)*\s*"sightline-/;
  const found = texts.filter((path) => byName.test(textOf(path)) || inConfiguration.test(textOf(path)));
  expect(found).toEqual([]);
  for (const name of ['typescript', 'mcp']) {
    const { private: isPrivate, ...rest } = JSON.parse(textOf(`clients/${name}/package.json`)) as object & {
      private: boolean;
    };
    expect(isPrivate).toBe(true);
    expect(JSON.stringify(rest)).not.toMatch(/"sightline-client":"(?!dist\/)/);
  }
});

/** The tarball, installed in an empty folder with what the server depends on, as the page says. */
async function install(): Promise<string> {
  const folder = await temporaryFolder();
  const server = await pack('mcp', folder);
  expect(server.paths.toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist/main.js',
    'package.json',
    'schemas.json',
  ]);
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--prefix', folder, server.file];
  // Behind a proxy, npm needs the machine's certificates to ask the registry for the other dependencies.
  await run('npm', args, folder, { HOME, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) });
  return folder;
}

const node20 = ['linux-x64', 'linux-arm64', 'darwin-arm64']
  .map((machine) => join(modules, `node-20-${machine}/bin/node`))
  .find(existsSync);

describeWithClients('the packed server, installed in an empty folder', () => {
  test('starts with each of the configurations of the page, on Node 20 too, and lists the tools of the page', async () => {
    const folder = await install();
    const { server, publish } = await startWorkspace();
    await publish('2026-11-17');
    const rows = [...page.split('<!-- tools -->')[1]!.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    const main = 'node_modules/sightline-mcp/dist/main.js';
    const started = configurations.map((configuration) => configuration.server);
    const installed = (arg: string) => arg.replace('/path/to/', join(folder, 'node_modules/'));
    for (const configured of [...started, { command: node20!, args: [main], env: {} }]) {
      const env = { PATH, HOME, ...configured.env, ...server.env };
      const args = configured.args.map(installed);
      const assistant = await startAssistant({ ...configured, args, env, cwd: folder });
      const { tools } = await assistant.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(rows);
      expect(await assistant.call('list_brands')).toMatchObject({ data: exampleDocuments.brands });
      expect(await assistant.end()).toBe('');
    }
  });
});

describeWithClients('the official inspector', () => {
  test('lists the tools and calls them', async () => {
    const { server, publish } = await startWorkspace();
    const snapshotId = await publish('2026-11-17');
    const home = await temporaryFolder();
    const launcher = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const environment = Object.entries(server.env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const inspect = async (...request: string[]) => {
      const args = [launcher, '--cli', ...environment, server.command, ...server.args, ...request];
      const { stdout } = await run(process.execPath, args, home);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { tools } = (await inspect('--method', 'tools/list')) as {
      tools: { name: string; inputSchema: object }[];
    };
    expect(tools).toHaveLength(11);
    const { inputSchema } = tools.find(({ name }) => name === 'get_visibility')!;
    expect(inputSchema).toMatchObject({ properties: { engines: { items: { enum: [...engineSlugs] } } } });
    const result = await inspect('--method', 'tools/call', '--tool-name', 'list_brands');
    expect(result).toMatchObject({ structuredContent: { snapshotId, data: exampleDocuments.brands } });
    expect(result['isError'] ?? false).toBe(false);
  });
});
