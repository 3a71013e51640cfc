import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithGenerators, generatorModules } from '../../support/generators.ts';
import { brandId, startDescribedGateway } from '../described-gateway.ts';
import type { DescribedGateway } from '../described-gateway.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const modules = join(root, 'node_modules');

let gateway: DescribedGateway;
beforeAll(async () => {
  gateway = await startDescribedGateway();
});
afterAll(() => gateway?.close());

/**
 * How each generator is run, and a client that prints the names of the brands and all that the trend knows of Gemini.
 */
const generators: Record<string, { command: (url: string) => string[]; client: string; isOurs?: true }> = {
  'openapi-typescript': {
    isOurs: true, // `npm run openapi` makes the types of our own client with it
    command: (url) => ['openapi-typescript/bin/cli.js', url, '--output', 'api/api.d.ts'],
    client: `
      import createClient from 'openapi-fetch';
      import type { paths } from './api/api.d.ts';
      const { GET } = createClient<paths>({ baseUrl: ADDRESS, headers: { authorization: 'Bearer ' + KEY } });
      const brands = await GET('/api/v1/brands', { params: { header: { 'If-None-Match': '"other"' } } });
      const { data } = await GET('/api/v1/brands/{brandId}/visibility', { params: { path: { brandId: BRAND } } });
      const first: number | undefined = data?.data.trend.gemini?.[0]?.score;
      const { data: snapshots } = await GET('/api/v1/snapshots');
      const snapshotId = snapshots!.data[0]!.id;
      const path = { snapshotId, brandId: BRAND };
      const old = await GET('/api/v1/snapshots/{snapshotId}/brands/{brandId}/visibility', { params: { path } });
      const proof = await GET('/api/v1/snapshots/{snapshotId}/proof', { params: { path } });
      const entry: string | undefined = proof.data?.data.entry;
      console.log(brands.data?.data.map(({ name }) => name).join(), typeof first, old.data?.data.brand.name, entry?.slice(0, 19));`,
  },
  '@hey-api/openapi-ts': {
    command: (url) => [
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      url,
      '-o',
      'api',
      '-c',
      '@hey-api/client-fetch',
    ],
    client: `
      import { client } from './api/client.gen.js';
      import { getSnapshotProof, getVisibility, getVisibilityOfSnapshot, listBrands, listSnapshots } from './api/sdk.gen.js';
      client.setConfig({ auth: KEY });
      const brands = await listBrands({ headers: { 'If-None-Match': '"other"' } });
      const { data } = await getVisibility({ path: { brandId: BRAND } });
      const first: number | undefined = data?.data.trend.gemini?.[0]?.score;
      const { data: snapshots } = await listSnapshots();
      const snapshotId = snapshots!.data[0]!.id;
      const old = await getVisibilityOfSnapshot({ path: { snapshotId, brandId: BRAND } });
      const proof = await getSnapshotProof({ path: { snapshotId } });
      const entry: string | undefined = proof.data?.data.entry;
      console.log(brands.data?.data.map(({ name }) => name).join(), typeof first, old.data?.data.brand.name, entry?.slice(0, 19));`,
  },
};

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: false,
  outDir: 'out',
};

describeWithGenerators('a client generated from the URL alone compiles strictly and gets a response', () => {
  test.each(Object.entries(generators))('%s', async (_name, { command, client, isOurs }) => {
    const folder = await temporaryFolder();
    await symlink(modules, join(folder, 'node_modules'));
    await mkdir(join(folder, 'api'));
    const [program, ...words] = command(`${gateway.base}/openapi.json`);
    const NODE_OPTIONS = `--import=${join(root, 'test/support/typescript-6.ts')}`;
    await run(process.execPath, [join(isOurs ? modules : generatorModules, program!), ...words], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...(isOurs ? { NODE_OPTIONS } : {}) },
    });
    const [key, brand, ...others] = [gateway.key, brandId, gateway.base].map((text) => JSON.stringify(text));
    const constants = `const KEY = ${key}, BRAND = ${brand}, ADDRESS = ${others[0]};\n`;
    await writeFile(
      join(folder, 'client.ts'),
      client.replace(/(\n *const |\n *client\.)/, `\n${constants}$1`),
    );
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['client.ts'] }),
    );
    const tsc = join(modules, 'typescript/bin/tsc');
    const { stdout: complaints } = await run(process.execPath, [tsc], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(complaints).toBe('');
    const { stdout } = await run(process.execPath, [join(folder, 'out/client.js')], { cwd: folder });
    expect(stdout).toBe('Fjordfield,Quordesk,Opalpoint number Fjordfield {"kind":"published"\n');
  });
});
