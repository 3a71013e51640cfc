import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import examples from '../openapi/examples.json' with { type: 'json' };
import { temporaryFolder } from '../support/folder.ts';
import { describeWithGenerators, generatorModules } from '../support/generators.ts';
import { brandId, startDescribedGateway } from '../gateway/described-gateway.ts';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../../node_modules');

const clientOf = (key: string) => `
import { client } from './api/client.gen.js';
import { getSnapshotProof, getVisibility, getVisibilityOfSnapshot, listBrands, listSnapshots } from './api/sdk.gen.js';
client.setConfig({ auth: '${key}' });
const path = { brandId: '${brandId}' };
const brands = await listBrands({ headers: { 'If-None-Match': '"other"' } });
const { data } = await getVisibility({ path });
const first: number | undefined = data?.data.trend.gemini?.[0]?.score;
const { data: snapshots } = await listSnapshots();
const snapshotId = snapshots!.data[0]!.id;
const old = await getVisibilityOfSnapshot({ path: { snapshotId, ...path } });
const proof = await getSnapshotProof({ path: { snapshotId } });
const entry: string | undefined = proof.data?.data.entry;
console.log(brands.data?.data.map(({ name }) => name).join(), typeof first, old.data?.data.brand.name, entry?.slice(0, 19));
`;

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'esnext',
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  skipLibCheck: false,
  outDir: 'out',
};

describeWithGenerators('a client that @hey-api/openapi-ts generates from the URL alone', () => {
  test('compiles strictly and gets responses', async () => {
    const gateway = await startDescribedGateway();
    onTestFinished(() => gateway.close());
    const folder = await temporaryFolder();
    await symlink(modules, join(folder, 'node_modules'));
    const generator = join(generatorModules, '@hey-api/openapi-ts/bin/run.js');
    const words = ['-i', `${gateway.base}/openapi.json`, '-o', 'api', '-c', '@hey-api/client-fetch'];
    const env = { PATH: process.env['PATH'] };
    await run(process.execPath, [generator, ...words], { cwd: folder, env });
    await writeFile(join(folder, 'client.ts'), clientOf(gateway.key));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const project = { compilerOptions, include: ['client.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const compiler = join(modules, 'typescript/bin/tsc');
    const compiled = await run(process.execPath, [compiler], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');
    const { stdout } = await run(process.execPath, ['out/client.js'], { cwd: folder });
    const names = examples.brands.map(({ name }) => name);
    expect(stdout).toBe(`${names.join()} number ${names[0]} {"kind":"published"\n`);
  });
});
