import { existsSync } from 'node:fs';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithClients, install, modules, node20, pack, root, run } from '../tools.ts';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { brandId, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

const [report, changes, proof] = blocksOf(pageText('clients/typescript/README.md')).filter(
  ({ language }) => language === 'ts',
);
const scripts = { report, changes, proof };

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  types: ['node'],
};

/** Programs that npm brings for one kind of machine, by where their files lie. */
const bundled = (...paths: string[]) => paths.map((path) => join(modules, path)).find(existsSync);
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const deno = bundled(`@deno/linux-${architecture}-glibc/deno`, `@deno/darwin-${architecture}/deno`);
const bunArch = architecture === 'arm64' ? 'aarch64' : 'x64';
// Where npm ran its script, Bun moved its binary.
const bun = bundled(
  `@oven/bun-linux-${bunArch}/bin/bun`,
  `@oven/bun-darwin-${bunArch}/bin/bun`,
  'bun/bin/bun.exe',
);
const runtimes: [string, string | undefined, string[]][] = [
  ['Node 20', node20, []],
  ['this Node', process.execPath, []],
  ['Deno', deno, ['run', '--allow-env', '--allow-net=127.0.0.1', '--allow-read=.', '--allow-write=.']],
  ['Bun', bun, ['run']],
];

describeWithClients('the package, installed in an empty project', () => {
  let gateway: DescribedGateway;
  let project: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    gateway = await startDescribedGateway();
    env = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key, DENO_NO_UPDATE_CHECK: '1' };
    project = await newFolder();
    const { file } = await pack('typescript', project);
    await install([file], project);
    await symlink(join(modules, '@types'), join(project, 'node_modules/@types'));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
    await copyFile(gateway.log.keys.publicKey, join(project, 'public-key.pem'));
    for (const [name, script] of Object.entries(scripts))
      await writeFile(join(project, `${name}.ts`), script!.text);
    const files = Object.keys(scripts).map((name) => `${name}.ts`);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], project);
  });
  afterAll(async () => await gateway?.close());

  test.each(runtimes)('the scripts of its page compile strictly, and run in %s', async (_, program, args) => {
    const printed = await run(program!, [...args, 'proof.js'], project, env);
    const { origin } = gateway.log;
    expect(printed.stdout).toMatch(
      new RegExp(`^Published \\S+: entry \\d+ of \\d+ in the log ${origin}\\.\n$`),
    );
    await writeFile(join(project, 'visit.json'), 'null');
    const { stdout } = await run(program!, [...args, 'changes.js'], project, env);
    expect(stdout).toContain(`${brandId} getVisibility `);
    expect((await run(program!, [...args, 'changes.js'], project, env)).stdout).toBe('');
    // The other brands of the examples have no documents.
    const ended = await run(program!, [...args, 'report.js'], project, env).catch(String);
    expect(ended).toMatch(new RegExp(String.raw`: ${examples.brands[0]!.name} [\d.]+( \w+)*\n[^]*not_found`));
  });

  test('its command runs by npx, which installs nothing, and in Node 20', async () => {
    const args = ['verify', '--public-key', 'public-key.pem', '--origin', gateway.log.origin];
    const { stdout } = await run('npx', ['--no', 'sightline-client', ...args], project, env);
    expect(stdout).toContain('\nDocuments: all 10 have the bytes that were published.\n');
    const command = join(project, 'node_modules/.bin/sightline-client');
    expect((await run(node20!, [command, ...args], project, env)).stdout).toBe(stdout);
  });
});
