import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { kustomizations, render } from './manifests.ts';
import type { Manifest } from './manifests.ts';

const root = join(import.meta.dirname, '../../..');

/** The Gateway API is not part of Kubernetes: its types are in a separate package. */
const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${apiVersion.startsWith('gateway.') ? '@kubernetes-models/gateway-api' : 'kubernetes-models'}/${apiVersion}/${kind}`;

/**
 * The errors of the API server for unknown and missing fields, wrong types and values outside of an enum: the manifests are
 * compiled as literals of the types that are generated from its OpenAPI description.
 */
async function typeComplaints(manifests: readonly Manifest[]): Promise<string[]> {
  const folder = await temporaryFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const lines = manifests.map(
    (manifest, n) =>
      `import type { I${manifest.kind} as T${n} } from '${moduleOf(manifest)}'; export const m${n}: T${n} = ${JSON.stringify(manifest)};`,
  );
  await writeFile(join(folder, 'manifests.ts'), lines.join('\n'));
  const options = '--noEmit --strict --skipLibCheck --module nodenext --target esnext --pretty false'.split(
    ' ',
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [tsc, ...options, '--types', '', 'manifests.ts'],
      { cwd: folder },
      (error, stdout, stderr) => {
        const complaints = stdout.split('\n').filter((line) => line.includes('error TS'));
        if (error !== null && complaints.length === 0) reject(new Error(`${stdout}${stderr}`));
        else resolve(complaints);
      },
    );
  });
}

describeWith(['kubectl'], 'kustomizations', () => {
  test.each(kustomizations)(
    '%s is valid by the schemas of Kubernetes, without unknown fields',
    async (path) => {
      const manifests = await render(path);
      expect(manifests.map(({ metadata }) => metadata.name)).toContain('sightline-gateway');
      expect(await typeComplaints(manifests)).toEqual([]);
    },
  );
});

test('the schemas find a field that does not exist, a value of a wrong type, and a missing field', async () => {
  const wrong = [
    { selektor: {} },
    { ports: [{ port: '80' }] },
    { type: 'Public' },
    { ports: [{ name: 'http' }] },
  ];
  const services = wrong.map((spec) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec,
  }));
  expect(await typeComplaints(services)).toHaveLength(4);
});
