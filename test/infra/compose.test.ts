import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pageText, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { composeServices, composeText } from './compose.ts';
import { wrongSettings } from './installed.ts';

const services = composeServices();
const required = {
  POSTGRES_PASSWORD: 'one',
  AWS_SECRET_ACCESS_KEY: 'two',
  SIGNING_KEY: 'three',
  PUBLIC_KEY: 'four',
  LOG_ORIGIN: 'a.b/log',
};

test('the programs know all their settings in infra/compose.yaml', () => {
  const ours = Object.values(services).filter(({ image }) => image === 'sightline');
  expect(ours.length).toBeGreaterThan(3);
  for (const { environment = {} } of ours) {
    const filled = Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{.*?\}/g, 'a1'),
    ]);
    expect(wrongSettings(Object.fromEntries(filled) as Record<string, string>)).toEqual([]);
  }
});

test('infra/compose.yaml has the services that its first lines and docs/image.md run', () => {
  const text = `${composeText}\n${pageText('docs/image.md')}`;
  const run = [...text.matchAll(/compose\.yaml run --rm (?:--\w+(?: \S+:\S+)? )*(\w+)/g)];
  expect(run.length).toBeGreaterThan(3);
  expect(run.map(([, name]) => name!).filter((name) => services[name]?.profiles === undefined)).toEqual([]);
});

describeWith(['docker-compose'], 'docker-compose', () => {
  test('accepts the file with all secrets, and without one of them starts nothing', async () => {
    const file = join(await temporaryFolder(), 'compose.yaml');
    // Debian's is from 2021, a year before "name" came.
    await writeFile(file, composeText.replace(/^name: .*$/m, ''));
    const config = async (env: Record<string, string>) => {
      const args = ['--project-directory', join(root, 'infra'), '--file', file, 'config'];
      return await promisify(execFile)('docker-compose', args, {
        env: { PATH: process.env['PATH'], ...env },
      });
    };
    const { stdout } = await config(required);
    expect(stdout).toContain('RECORDS_URL: postgres://sightline:one@postgres:5432/sightline');
    for (const name of Object.keys(required))
      await expect(config({ ...required, [name]: '' })).rejects.toThrow('Missing mandatory value');
  });
});
