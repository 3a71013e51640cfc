import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { kustomizations, render } from './manifests.ts';
import type { Manifest } from './manifests.ts';

const root = join(import.meta.dirname, '../../..');

/** The Gateway API is not part of Kubernetes: its types are in a separate package. */
const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${apiVersion.startsWith('gateway.') ? '@kubernetes-models/gateway-api' : 'kubernetes-models'}/${apiVersion}/${kind}`;

/**
 * The errors of the API server for unknown fields, wrong types and values outside of an enum: the manifests are
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

/** The errors of the schemas for formats and missing fields. */
async function schemaComplaints(rendered: Manifest): Promise<string | null> {
  // kustomize breaks long base64 into lines. The API server skips line breaks there, the schemas do not.
  const manifest =
    rendered.kind === 'Secret' ? { ...rendered, data: withoutLineBreaks(rendered.data!) } : rendered;
  const models = (await import(moduleOf(manifest))) as Record<
    string,
    new (data: object) => { validate(): void }
  >;
  try {
    new models[manifest.kind]!(manifest).validate();
    return null;
  } catch (error) {
    return `${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`;
  }
}

function withoutLineBreaks(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, text.replaceAll('\n', '')]));
}

describeWith(['kubectl'], 'kustomizations', () => {
  describe.each(kustomizations)('%s', (path) => {
    let manifests: Manifest[];
    beforeAll(async () => {
      manifests = await render(path);
    });

    test('renders, with no two objects of one kind and name', () => {
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names).toContain('Deployment sightline-gateway');
      expect(new Set(names).size).toBe(names.length);
    });

    test('is valid by the schemas of Kubernetes, without unknown fields', async () => {
      expect(await typeComplaints(manifests)).toEqual([]);
      const complaints = await Promise.all(manifests.map(schemaComplaints));
      expect(complaints.filter((complaint) => complaint !== null)).toEqual([]);
    });
  });
});

const service = (spec: Record<string, unknown>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a' },
  spec,
});

test('the schemas find a field that does not exist, a value of a wrong type, and a missing field', async () => {
  const wrong = [{ selektor: {} }, { ports: [{ port: '80' }] }, { type: 'Public' }];
  expect(await typeComplaints(wrong.map(service))).toHaveLength(3);
  expect(await schemaComplaints(service({ ports: [{ name: 'http' }] }))).toContain('port');
});
