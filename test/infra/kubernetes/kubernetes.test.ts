import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../docs/pages.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { wrongSettings } from '../installed.ts';
import { containersOf, render, settingsOf } from './manifests.ts';
import type { Manifest } from './manifests.ts';

/** The Gateway API is not part of Kubernetes: its types are in a separate package. */
const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${apiVersion.startsWith('gateway.') ? '@kubernetes-models/gateway-api' : 'kubernetes-models'}/${apiVersion}/${kind}`;

/**
 * The manifests, by their places, of which the API server would complain: unknown and missing fields, wrong types and
 * values outside of an enum. They are compiled as literals of the types that are generated from its OpenAPI description.
 */
async function wrongManifests(manifests: readonly Manifest[]): Promise<number[]> {
  const folder = await temporaryFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const lines = manifests.map(
    (manifest, n) =>
      `import type { I${manifest.kind} as T${n} } from '${moduleOf(manifest)}'; export const m${n}: T${n} = ${JSON.stringify(manifest)};\n`,
  );
  await writeFile(join(folder, 'manifests.ts'), lines.join(''));
  const options = '--noEmit --strict --skipLibCheck --module nodenext --target esnext --pretty false --types';
  const command = [join(root, 'node_modules/typescript/bin/tsc'), ...options.split(' '), '', 'manifests.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return [...stdout.matchAll(/^manifests\.ts\((\d+),\d+\): error TS/gm)].map(([, line]) => Number(line) - 1);
}

describeWith(['kubectl'], 'kustomizations', () => {
  test('base and the example are valid by the schemas of Kubernetes, which find what is wrong', async () => {
    const manifests = [...(await render('base')), ...(await render('overlays/example'))];
    const gateways = manifests.filter(({ metadata }) => metadata.name === 'sightline-gateway');
    expect(gateways.length).toBeGreaterThan(1);
    const wrong = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { selektor: {} } };
    expect(await wrongManifests([...manifests, wrong])).toEqual([manifests.length]);
  });

  test('the programs know the settings and the arguments that the manifests give them', async () => {
    const folder = await temporaryFolder();
    const manifests = await render('base');
    const ours = containersOf(manifests).filter(({ container }) => container.image === 'sightline');
    expect(ours.map(({ container }) => container.name).toSorted()).toEqual([
      'gateway',
      'migrate',
      'verify',
      'weekly',
    ]);
    for (const { of, container } of ours) {
      const settings = settingsOf(manifests, container);
      const read = Object.entries(settings).filter(([name]) => !container.args!.includes(`$(${name})`));
      expect([of, wrongSettings(Object.fromEntries(read))]).toEqual([of, []]);
      if (container.name === 'gateway') continue;
      // There is nothing to work on, which is another status than that of wrong usage.
      const here = { STORE_URL: folder, LAKE_URL: folder, RECORDS_URL: 'postgres://127.0.0.1:1/x' };
      const more = {
        JOB_COMPLETION_INDEX: '0',
        SIGNING_KEY: 'none',
        PUBLIC_KEY: 'none',
        PATH: process.env['PATH'],
      };
      const started = promisify(execFile)('infra/sightline', container.args, {
        cwd: root,
        env: { LOG_ORIGIN: 'a.b/log', ...here, ...more },
      });
      await expect(started).rejects.toMatchObject({ code: expect.not.toBeOneOf([0, 2]) as number });
    }
  });
});
