import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pageText, root } from '../docs/pages.ts';
import { describeWith } from '../support/requires.ts';
import { composeServices, composeText } from './compose.ts';
import { readDockerfile } from './dockerfile.ts';
import { scripts, textAt, wrongSettings } from './installed.ts';

const named = composeServices();
const services = Object.entries(named);
const ours = services.filter(([, { image }]) => image === 'sightline');
const steps = readDockerfile('infra/Dockerfile');

const having = (setting: string) =>
  ours.filter(([, { environment }]) => environment?.[setting] !== undefined).map(([name]) => name);

test('images of others are named by version and digest, ours has the version and the settings of this project', () => {
  const others = services.filter(([, { image }]) => image !== 'sightline').map(([, { image }]) => image);
  const begun = steps.flatMap((step) => (step.kind === 'from' ? [step.image] : []));
  expect(others).toHaveLength(2);
  for (const image of [...others, ...begun]) expect(image).toMatch(/:[a-z\d.-]+@sha256:[\da-f]{64}$/);
  const { version } = JSON.parse(textAt('package.json')) as { version: string };
  expect(textAt('infra/Dockerfile')).toContain(`image.version="${version}"`);
  expect(steps.flatMap((step) => (step.kind === 'env' ? wrongSettings(step.variables) : []))).toEqual([]);
});

test('the command sightline starts the same programs as npm run, except the quick start', () => {
  const script = textAt('infra/sightline');
  const [, everywhere] = /^flags=(\S+)$/m.exec(script)!;
  const commands = [...script.matchAll(/^ {2}([a-z]+)\) program=(\S+)(?: flags="\$flags (.*)")? ;;$/gm)].map(
    ([, name, program, flags = '']) => [name!, `${everywhere} ${flags} ${program}`.replaceAll(/ +/g, ' ')],
  );
  const { start: _start, ...rest } = scripts();
  expect(Object.fromEntries(commands)).toEqual(rest);
});

describe('infra/compose.yaml', () => {
  test('runs existing commands with known settings, without capabilities or a writable root', () => {
    for (const [, { entrypoint, command = [], environment = {}, ...service }] of ours) {
      const run = entrypoint?.slice(2).find((word) => word !== 'sightline') ?? command[0]!;
      expect([...Object.keys(scripts()), 'node']).toContain(run);
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{.*?\}/g, 'a1'),
      ]);
      expect(wrongSettings(Object.fromEntries(filled) as Record<string, string>)).toEqual([]);
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  test('gives the signing key to jobs only, and the password of the records to their clients only', () => {
    expect(having('SIGNING_KEY').toSorted()).toEqual(['audit', 'job', 'schedule']);
    expect(having('RECORDS_URL').toSorted()).toEqual(['gateway', 'records']);
  });

  test('has the services that its first lines and docs/image.md run', () => {
    const run = [
      ...`${composeText}\n${pageText('docs/image.md')}`.matchAll(
        /compose\.yaml run --rm (?:--\w+(?: \S+:\S+)? )*(\w+)/g,
      ),
    ];
    expect(run.length).toBeGreaterThan(3);
    expect(run.map(([, name]) => name!).filter((name) => named[name]?.profiles === undefined)).toEqual([]);
  });

  describeWith(['docker-compose'], 'read by docker-compose', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sightline-compose-'));
      // Debian's is from 2021, a year before "name" came.
      await writeFile(join(folder, 'compose.yaml'), composeText.replace(/^name: .*$/m, ''));
      return () => rm(folder, { recursive: true });
    });
    const config = async (env: Record<string, string>) => {
      const file = ['--project-directory', join(root, 'infra'), '--file', join(folder, 'compose.yaml')];
      return await promisify(execFile)('docker-compose', [...file, 'config'], {
        env: { PATH: process.env['PATH'], ...env },
      });
    };
    const needed = {
      POSTGRES_PASSWORD: 'one',
      AWS_SECRET_ACCESS_KEY: 'two',
      SIGNING_KEY: 'three',
      PUBLIC_KEY: 'four',
      LOG_ORIGIN: 'a.b/log',
    };

    test('is valid and complete', async () => {
      const { stdout } = await config(needed);
      expect(stdout).toContain('RECORDS_URL: postgres://sightline:one@postgres:5432/sightline');
    });

    test.each(Object.keys(needed))('does not start without %s', async (name) => {
      await expect(config({ ...needed, [name]: '' })).rejects.toThrow('Missing mandatory value');
    });
  });
});
