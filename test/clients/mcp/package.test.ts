import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { until } from '../../support/until.ts';
import { describeWithClients, modules, pack, run } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import type { Server } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';

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

test('the page has the configuration of three assistants, and of one over HTTP with its own key', () => {
  expect(configurations.map(({ assistant }) => assistant)).toEqual(['Claude Desktop', 'VS Code', 'Cursor']);
  const { text } = blocksOf(page).find(({ mark }) => mark === 'remote: VS Code')!;
  expect((JSON.parse(text) as { servers: object }).servers).toMatchObject({
    sightline: { type: 'http', headers: { Authorization: 'Bearer ${input:sightline-key}' } },
  });
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
  expect(server.paths.toSorted()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
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

describeWithClients('the table of tools', () => {
  test('says how many requests each tool takes', async () => {
    const workspace = await startWorkspace();
    await workspace.publish('2026-11-17');
    const { publicKey } = await makeTestKeys(await temporaryFolder(), 'own');
    const env = { ...workspace.server.env, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
    const { client } = await startAssistant({ ...workspace.server, env });
    await workspace.publish('2026-11-24');
    const input = { brand: brandId, document: 'visibility' };
    const { answered } = workspace.gateway.observed;
    const requestsOf = async (name: string, more: object = {}) => {
      const before = answered.length;
      const inputs: Record<string, object> = {
        get_document: input,
        compare_weeks: { brand: brandId },
        // Not read before: documents of a snapshot are asked for once.
        verify_document: { ...input, document: 'sources' },
      };
      const result = await client.callTool({ name, arguments: { ...inputs[name], ...more } });
      expect([name, result.isError ?? false]).toEqual([name, false]);
      // The observer may be called after the response was read: one more request ends those of the call.
      await ask(workspace.gateway.base, '/api/v1/brands', { headers: bearer(workspace.gateway.key) });
      await until(() => answered.at(-1)?.route === 'listBrands' && answered.length > before + 1);
      return answered.length - before - 1;
    };
    await requestsOf('list_brands'); // and, once, the list with the as-of time
    const taken: string[][] = [];
    for (const { name } of (await client.listTools()).tools)
      taken.push([name, String(await requestsOf(name))]);
    const [table] = page.split('<!-- tools -->')[1]!.trim().split('\n\n');
    const rows = [...table!.matchAll(/^\| `(\w+)` +\|[^|]+\| (\d+) /gm)].map(([, name, requests]) => [
      name,
      requests,
    ]);
    expect(taken).toEqual(rows);
    const { name } = exampleDocuments.brands[0]!;
    expect(await requestsOf('get_document', { brand: name })).toBe(2);
    expect(await requestsOf('get_document', { week: '2026-11-17', document: 'sources' })).toBe(2);
  });
});
