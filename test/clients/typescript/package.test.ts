import { existsSync } from 'node:fs';
import { readdir, readFile, symlink, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithClients, install, modules, pack, root, run } from '../tools.ts';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

/** A sample program of a user; it uses every entry point. */
const program = `
import { Sightline, SightlineError, memoryStore } from 'sightline-client';
import type { Brand, ErrorCode, ResponseStore, Visibility } from 'sightline-client';
import { fileStore } from 'sightline-client/file-store';
import { verifyDocument, VerificationError } from 'sightline-client/verify';
import type { VerifiedSnapshot } from 'sightline-client/verify';

const store: ResponseStore = fileStore('kept');
const signal: AbortSignal | undefined = undefined;
const sightline = new Sightline({ baseUrl: ADDRESS, apiKey: KEY, store, timeoutMs: 5000, maxRetries: 1 });
const seen: string[] = [];
for await (const brand of sightline.brands({ signal })) {
  const one: Brand = brand;
  seen.push(one.name);
}
const [first] = (await sightline.listBrands()).data;
const read = await sightline.getVisibility(first!.id, { signal });
const visibility: Visibility = read.data;
const score: number | undefined = visibility.trend.gemini?.[0]?.score;
const again = await sightline.getVisibility(first!.id);
let code: ErrorCode | 'none' = 'none';
try {
  await new Sightline({ baseUrl: ADDRESS, apiKey: 'vis_other', store: memoryStore() }).listBrands();
} catch (error) {
  if (error instanceof SightlineError) code = error.code;
}
const { data: proof } = await sightline.getSnapshotProof(read.snapshotId!);
let fault = 'none';
try {
  const snapshotId = read.snapshotId!;
  const path = \`brands/\${first!.id}/visibility\`;
  const verified: VerifiedSnapshot = await verifyDocument({ proof, publicKey: PEM, snapshotId, path, body: read.body });
  fault = verified.publishedAt;
} catch (error) {
  if (error instanceof VerificationError) fault = error.code;
}
console.log(seen.join(), typeof score, read.fromCache, again.fromCache, code, fault);
`;
const printed = `${examples.brands.map(({ name }) => name).join()} number false true invalid_key signature\n`;
const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`;

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  outDir: 'out',
};
const forNode = { target: 'es2023', lib: ['es2023'], module: 'nodenext', types: ['node'] };
const forBundler = { target: 'es2023', module: 'esnext', moduleResolution: 'bundler', types: [] };
const compilers = {
  'TypeScript 7': join(root, 'node_modules/typescript/bin/tsc'),
  'TypeScript 6': join(root, 'node_modules/typescript-6/bin/tsc'),
};

/** Of the package, and of what it takes of the service. */
const BUILT = /^dist\/(?:clients\/typescript\/src|lib\/(?:proofs|weeks))\/[\w-]+\.(?:js|d\.ts)$/;

const esbuild = join(modules, '.bin/esbuild');

/** Programs that npm brings for one kind of machine, by where their files lie. */
const bundled = (...paths: string[]) => paths.map((path) => join(modules, path)).find(existsSync);
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const bunArch = architecture === 'arm64' ? 'aarch64' : 'x64';
const runtimes: Record<string, { program: string | undefined; args: string[] }> = {
  'Node 20': {
    program: bundled(`node-20-linux-${architecture}/bin/node`, 'node-20-darwin-arm64/bin/node'),
    args: [],
  },
  'this Node': { program: process.execPath, args: [] },
  Deno: {
    program: bundled(`@deno/linux-${architecture}-glibc/deno`, `@deno/darwin-${architecture}/deno`),
    args: ['run', '--allow-net=127.0.0.1', '--allow-read=.', '--allow-write=.'],
  },
  // Where npm ran its script, Bun moved its binary.
  Bun: {
    program: bundled(
      `@oven/bun-linux-${bunArch}/bin/bun`,
      `@oven/bun-darwin-${bunArch}/bin/bun`,
      'bun/bin/bun.exe',
    ),
    args: ['run'],
  },
};

describeWithClients('the package as it is published', () => {
  let gateway: DescribedGateway;
  let project: string;
  let packed: { file: string; paths: string[] };

  beforeAll(async () => {
    gateway = await startDescribedGateway();
    project = await newFolder();
    packed = await pack('typescript', project);
    await install([packed.file], project);
    await symlink(join(modules, '@types'), join(project, 'node_modules/@types'));
    const constants = Object.entries({ ADDRESS: gateway.base, KEY: gateway.key, PEM });
    const lines = constants.map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    await writeFile(join(project, 'program.ts'), program.replace('\nconst', `\n${lines.join('\n')}\nconst`));
    await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  });
  afterAll(async () => await gateway?.close());

  test('contains the built files, its pages and its license, and has no dependencies', async () => {
    const others = packed.paths.filter((path) => !BUILT.test(path));
    expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const installed = await readdir(join(project, 'node_modules'));
    expect(installed.filter((name) => !/^[.@]/.test(name))).toEqual(['sightline-client']);
    const manifest = JSON.parse(
      await readFile(join(project, 'node_modules/sightline-client/package.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(
      Object.keys(manifest).filter((name) => /^(?:peer|optional|bundle)?d?ependencies$/i.test(name)),
    ).toEqual([]);
  });

  test('the scripts of the README compile strictly', async () => {
    const scripts = blocksOf(pageText('clients/typescript/README.md')).filter(
      (block) => block.language === 'ts',
    );
    expect(scripts).toHaveLength(3);
    const folder = join(project, 'readme');
    await mkdir(folder);
    const files = scripts.map((_, index) => `${index}.ts`);
    for (const [index, { text }] of scripts.entries()) await writeFile(join(folder, files[index]!), text);
    const options = { ...compilerOptions, ...forNode, rootDir: '.' };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
    expect((await run(process.execPath, [compilers['TypeScript 7'], '-p', folder], project)).stdout).toBe('');
  });

  test.each([
    ['TypeScript 7', 'Node', compilers['TypeScript 7'], forNode],
    ['TypeScript 6', 'a bundler', compilers['TypeScript 6'], forBundler],
  ])('compiles strictly in an empty project: %s, for %s', async (compiler, _target, file, options) => {
    const folder = join(project, compiler.replaceAll(' ', '-'));
    await mkdir(folder);
    const all = { ...compilerOptions, ...options, rootDir: '..' };
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: all, files: ['../program.ts'] }),
    );
    expect((await run(process.execPath, [file, '-p', folder], project)).stdout).toBe('');
    expect(await readdir(join(folder, 'out'))).toContain('program.js');
  });

  test.each(Object.keys(runtimes))('runs in %s', async (name) => {
    const { program: runtime, args } = runtimes[name]!;
    if (runtime === undefined)
      throw new Error(`${name} is not in clients/node_modules: npm ci --prefix clients`);
    const folder = join(project, name.replaceAll(' ', '-'));
    await mkdir(folder);
    await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await run(esbuild, [join(project, 'program.ts'), '--outfile=program.js'], folder);
    const { stdout } = await run(runtime, [...args, 'program.js'], folder, { DENO_NO_UPDATE_CHECK: '1' });
    expect(stdout).toBe(printed);
  });

  test('its command runs by npx, which installs nothing, and in Node 20', async () => {
    const env = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
    const args = ['verify', '--public-key', gateway.log.keys.publicKey, '--origin', gateway.log.origin];
    const { stdout } = await run('npx', ['--no', 'sightline-client', ...args], project, env);
    expect(stdout).toMatch(
      /^Log: .*\nSnapshot: .*\n(?:Stale: .*\n)?Documents: all 10 have the bytes that were published\.\n$/,
    );
    const command = join(project, 'node_modules/.bin/sightline-client');
    expect((await run(runtimes['Node 20']!.program!, [command, ...args], project, env)).stdout).toBe(stdout);
  });
});
