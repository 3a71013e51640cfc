import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithClients, node20, pack, run } from '../tools.ts';
import { exampleDocuments, startAssistant, startWorkspace } from './mcp.ts';
import type { Server } from './mcp.ts';

const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS = '' } = process.env;

interface Configuration {
  mcpServers?: Record<string, Server>;
  servers?: Record<string, Server & { headers?: Record<string, string> }>;
}

/** The configurations of a page, by the assistant that takes them. */
const configurations = blocksOf(pageText('clients/mcp/README.md'))
  .filter(({ mark }) => /^(?:assistant|remote): /.test(mark))
  .map(({ mark, text }) => {
    const { mcpServers, servers } = JSON.parse(text) as Configuration;
    return [mark, (servers ?? mcpServers)!['sightline']!] as const;
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
  test('starts with each of the configurations of the page, and on Node 20', async () => {
    const folder = await temporaryFolder();
    const packed = await pack('mcp', folder);
    expect(packed.paths.toSorted()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
    const install = [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      packed.file,
    ];
    // Behind a proxy, npm needs the machine's certificates to ask the registry for the other dependencies.
    await run('npm', install, folder, { HOME, ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) });
    const { server, publish } = await startWorkspace();
    await publish('2026-11-17');
    const local = configurations.filter(([mark]) => mark.startsWith('assistant: '));
    expect(local).toHaveLength(3);
    for (const command of [...local.map(([, configured]) => configured.command), node20!]) {
      const [, { args, env }] = local.pop() ?? configurations[0]!;
      const assistant = await startAssistant({
        command,
        args: args.map((arg) => arg.replace('/path/to/', join(folder, 'node_modules/'))),
        env: { PATH, HOME, ...env, ...server.env },
        cwd: folder,
      });
      expect((await assistant.call('list_brands')).data).toEqual(exampleDocuments.brands);
      expect(await assistant.end()).toBe('');
    }
  });
});
