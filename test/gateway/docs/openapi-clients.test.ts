import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentNames } from '../../../lib/documents/kinds.ts';
import historyExamples from '../../openapi/history-examples.json' with { type: 'json' };
import { operations } from '../../../lib/documents/routes.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWithGenerators, generatorModules, requireGenerator } from '../../support/generators.ts';
import { ask } from '../ask.ts';
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

async function serversFor(headers: string[]): Promise<unknown> {
  const { text } = await ask(gateway.base, '/openapi.json', { headers });
  return (JSON.parse(text) as { servers: unknown }).servers;
}

const only = (url: string) => [expect.objectContaining({ url })];

describe('/openapi.json names the address', () => {
  test('of the request', async () => {
    expect(await serversFor([])).toEqual(only(gateway.base));
  });

  test('of the request to a proxy that ends TLS', async () => {
    const { host } = new URL(gateway.base);
    expect(await serversFor(['X-Forwarded-Proto', 'https'])).toEqual(only(`https://${host}`));
    expect(await serversFor(['X-Forwarded-Proto', 'javascript'])).toEqual(only(`http://${host}`));
  });
});

interface Collection {
  variable: { key: string; value: string }[];
}

describeWithGenerators('Postman', () => {
  test("the converter's collection runs with newman, given only the key", async () => {
    const { text: asServed } = await ask(gateway.base, '/openapi.json');
    const text = asServed.replaceAll(historyExamples.snapshots[0]!.id, gateway.snapshotId);
    const { convertV2 } = requireGenerator('openapi-to-postmanv2') as {
      convertV2: (
        input: object,
        options: object,
        done: (error: Error, result: { result: boolean; output: { data: Collection }[] }) => void,
      ) => void;
    };
    const collection = await new Promise<Collection>((done, fail) => {
      const options = { parametersResolution: 'Example' };
      convertV2({ type: 'string', data: text }, options, (error, { result, output }) =>
        result ? done(output[0]!.data) : fail(error),
      );
    });
    expect(collection.variable).toContainEqual(
      expect.objectContaining({ key: 'baseUrl', value: gateway.base }),
    );
    const { run: runCollection } = requireGenerator('newman') as {
      run: (
        options: object,
        done: (
          error: Error | null,
          summary: { run: { executions: { response?: { code: number } }[] } },
        ) => void,
      ) => void;
    };
    const statuses = await new Promise((done, fail) => {
      const envVar = [{ key: 'bearerToken', value: gateway.key }];
      runCollection({ collection, envVar }, (error, summary) =>
        error ? fail(error) : done(summary.run.executions.map(({ response }) => response?.code)),
      );
    });
    expect(statuses).toEqual(operations.map(() => 200));
    expect(operations).toHaveLength(2 * documentNames.length + 2);
  });
});

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
  'swagger-typescript-api': {
    command: (url) => [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '-p',
      url,
      '-o',
      'api',
      '-n',
      'api.ts',
    ],
    client: `
      import { Api } from './api/api.js';
      const { api } = new Api({ baseApiParams: { headers: { authorization: 'Bearer ' + KEY } } });
      const brands = await api.listBrands();
      const { data } = await api.getVisibility(BRAND);
      const first: number | undefined = data.data.trend.gemini?.[0]?.score;
      const { data: snapshots } = await api.listSnapshots();
      const snapshotId = snapshots.data[0]!.id;
      const old = await api.getVisibilityOfSnapshot(snapshotId, BRAND);
      const proof = await api.getSnapshotProof(snapshotId);
      const entry: string = proof.data.data.entry;
      console.log(brands.data.data.map(({ name }) => name).join(), typeof first, old.data.data.brand.name, entry.slice(0, 19));`,
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
