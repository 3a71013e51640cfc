import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { composeServices, composeText, wrongSettings } from './installed.ts';

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
    await expect(config({ ...required, SIGNING_KEY: '' })).rejects.toThrow('Missing mandatory value');
    // Each variable is required, or has a default.
    expect(composeText).not.toMatch(/\$\{\w+(?!\w|:[?-])/);
  });
});
