import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithClients, install, modules, node20, pack, root, run } from '../tools.ts';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { brandId, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

const [report, changes, proof, ...others] = blocksOf(pageText('clients/typescript/README.md')).filter(
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

/** Of the package, and of what it takes of the service. */
const BUILT = /^dist\/(?:clients\/typescript\/src|lib\/(?:proofs|weeks))\/[\w-]+\.(?:js|d\.ts)$/;

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
  let packed: { file: string; paths: string[] };
  let env: Record<string, string>;

  beforeAll(async () => {
    gateway = await startDescribedGateway();
    env = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key, DENO_NO_UPDATE_CHECK: '1' };
    project = await newFolder();
    packed = await pack('typescript', project);
    await install([packed.file], project);
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

  test('contains the built files, its pages and its license, and has no dependencies', async () => {
    const rest = packed.paths.filter((path) => !BUILT.test(path));
    expect(rest.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const installed = await readdir(join(project, 'node_modules'));
    expect(installed.filter((name) => !/^[.@]/.test(name))).toEqual(['sightline-client']);
    const manifest = await readFile(join(project, 'node_modules/sightline-client/package.json'), 'utf8');
    expect(manifest).not.toMatch(/"(?:peerD|optionalD|bundleD|d)ependencies"/);
    expect(others).toEqual([]);
  });

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
  });

  test('the Monday report runs again without a body, and ends with the error of a key that is refused', async () => {
    // The other brands of the examples have no documents.
    const ended = await run(process.execPath, ['report.js'], project, env).catch(String);
    expect(ended).toMatch(new RegExp(String.raw`: ${examples.brands[0]!.name} [\d.]+( \w+)*\n.*not_found`));
    const before = gateway.observed.answered.length;
    await expect(run(process.execPath, ['report.js'], project, env)).rejects.toThrow('not_found');
    const statuses = gateway.observed.answered.slice(before).map(({ status }) => status);
    expect(statuses).toEqual([304, 304, 404]);
    const refused = run(process.execPath, ['report.js'], project, { ...env, SIGHTLINE_API_KEY: 'vis_none' });
    await expect(refused).rejects.toThrow('invalid_key');
  });

  test('its command runs by npx, which installs nothing, and in Node 20', async () => {
    const args = ['verify', '--public-key', 'public-key.pem', '--origin', gateway.log.origin];
    const { stdout } = await run('npx', ['--no', 'sightline-client', ...args], project, env);
    expect(stdout).toContain('\nDocuments: all 10 have the bytes that were published.\n');
    const command = join(project, 'node_modules/.bin/sightline-client');
    expect((await run(node20!, [command, ...args], project, env)).stdout).toBe(stdout);
  });
});
