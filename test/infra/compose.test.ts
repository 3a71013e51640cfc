import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../lib/config.ts';
import { pageText, root } from '../docs/pages.ts';
import { describeWith } from '../support/requires.ts';
import { readDockerfile } from './dockerfile.ts';
import type { Step } from './dockerfile.ts';
import { scripts, textAt, wrongSettings } from './installed.ts';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  profiles?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  healthcheck?: { disable?: boolean; test?: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const text = textAt('infra/compose.yaml');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === 'sightline');
const named = Object.fromEntries(services);
const steps = readDockerfile('infra/Dockerfile');
const stepOf = <Kind extends Step['kind']>(kind: Kind) =>
  steps.findLast((step) => step.kind === kind) as Extract<Step, { kind: Kind }>;

describe('infra/Dockerfile', () => {
  const { variables } = stepOf('env');

  test('sets what the programs read, and exposes the ports that it sets', () => {
    expect(wrongSettings(variables)).toEqual([]);
    expect(stepOf('expose').ports).toEqual([variables['PORT'], variables['METRICS_PORT']]);
  });

  test('begins with a Debian of one release, and with npm of the Node in the lock file', () => {
    const images = steps.flatMap((step) => (step.kind === 'from' ? [step.image] : []));
    const [major] = process.versions.node.split('.');
    expect(images).toEqual([`node:${major}-bookworm-slim`, 'debian:bookworm-slim']);
  });
});

describe('the command sightline', () => {
  const script = textAt('infra/sightline');
  const commands = Object.fromEntries(
    [...script.matchAll(/^ {2}([a-z]+)\) program=(\S+)(?: flags='(.*)')? ;;$/gm)].map(
      ([, name, program, flags]) => [name!, [flags, program].filter((part) => part !== undefined).join(' ')],
    ),
  );

  test('starts what npm run starts, all but the quick start and the writer of the OpenAPI file', () => {
    const { start, openapi, ...rest } = scripts();
    expect([start, openapi].map((command) => command?.split(' ').at(-1))).toEqual([
      'gateway/quickstart.ts',
      'lib/openapi/cli.ts',
    ]);
    expect(commands).toEqual(rest);
  });

  test('tells of each', () => {
    const told = [...script.matchAll(/^ {2}([a-z]+) {3,}\S/gm)].map(([, name]) => name!);
    expect(told.toSorted()).toEqual(Object.keys(commands).toSorted());
  });
});

/** A value that must be given when it is started. */
const secret = (name: string) => new RegExp(`^\\$\\{${name}:\\?`);

describe('infra/compose.yaml', () => {
  test('is the whole installation, and builds our image as the Dockerfile wants it', () => {
    expect(Object.keys(named)).toEqual(expect.arrayContaining(['gateway', 'schedule', 'postgres', 's3']));
    for (const [, { build }] of ours)
      expect(build).toEqual({ context: '..', dockerfile: 'infra/Dockerfile' });
  });

  test('names images of others by version', () => {
    const others = services.filter(([, { image }]) => image !== 'sightline').map(([, { image }]) => image);
    expect(others.filter((image) => !/:\d[\w.-]*$/.test(image))).toEqual([]);
  });

  test('runs commands that there are', async () => {
    const commands = Object.keys(scripts());
    const run = ours.flatMap(([, { entrypoint, command = [] }]) =>
      entrypoint === undefined ? command[0]! : entrypoint.slice(2).find((word) => word !== 'sightline')!,
    );
    expect(run.filter((name) => ![...commands, 'node'].includes(name))).toEqual([]);
    const [, ...args] = named['schedule']!.command!;
    await promisify(execFile)(process.execPath, ['jobs/cli.ts', ...args, '--help'], { cwd: root });
  });

  test('sets what the programs read, in an image that listens where the ports lead', () => {
    for (const [, { environment }] of ours) {
      const filled = Object.entries(environment!).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{.*?\}/g, 'a1'),
      ]);
      expect(wrongSettings(Object.fromEntries(filled) as Record<string, string>)).toEqual([]);
    }
    const { PORT, METRICS_PORT } = readConfig(stepOf('env').variables);
    expect(named['gateway']!.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(named['smoke']!.command!.at(-1)).toContain(`http://gateway:${METRICS_PORT}/readyz?verbose`);
  });

  test('leads to the servers beside it, by the ports, names and passwords that they are given', () => {
    const { environment } = named['gateway']!;
    const [s3, postgres] = [named['s3']!, named['postgres']!];
    expect(environment!['S3_ENDPOINT']).toBe('http://s3:8333');
    expect(s3.command).toEqual(expect.arrayContaining(['-s3.port=8333', '-bucket=sightline']));
    expect(environment!['STORE_URL']).toMatch(/^s3:\/\/sightline\//);
    expect(s3.environment!['AWS_ACCESS_KEY_ID']).toBe(environment!['AWS_ACCESS_KEY_ID']);
    for (const service of [s3, named['gateway']!]) {
      expect(service.environment!['AWS_SECRET_ACCESS_KEY']).toMatch(secret('AWS_SECRET_ACCESS_KEY'));
    }
    const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = postgres.environment!;
    expect(password).toMatch(secret('POSTGRES_PASSWORD'));
    expect(environment!['RECORDS_URL']).toBe(`postgres://${user}:${password}@postgres:5432/${database}`);
  });

  test('starts in order of health: whatever is waited for has a check', () => {
    const isChecked = (name: string) =>
      named[name]!.image === 'sightline'
        ? named[name]!.healthcheck?.disable !== true
        : named[name]!.healthcheck !== undefined;
    for (const [, { depends_on: waited }] of ours) {
      for (const [name, { condition }] of Object.entries(waited!)) {
        expect({ name, condition, isChecked: isChecked(name) }).toEqual({
          name,
          condition: 'service_healthy',
          isChecked: true,
        });
      }
    }
    expect(Object.keys(named['gateway']!.depends_on!)).toEqual(['postgres', 's3']);
  });

  test('gives our containers no right and nothing to write, and keeps the data of the others', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
    const kept = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    expect(new Set(kept)).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test('has the services that its own first lines and docs/install.md run', () => {
    const run = [
      ...`${text}\n${pageText('docs/install.md')}`.matchAll(
        /compose\.yaml run --rm (?:--volume \S+ )?(\w+)/g,
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
      await writeFile(join(folder, 'compose.yaml'), text.replace(/^name: .*$/m, ''));
      return () => rm(folder, { recursive: true });
    });
    const config = async (env: Record<string, string>) => {
      const args = [
        '--project-directory',
        join(root, 'infra'),
        '--file',
        join(folder, 'compose.yaml'),
        'config',
      ];
      return await promisify(execFile)('docker-compose', args, {
        env: { PATH: process.env['PATH'], ...env },
      });
    };

    test('is of its schema, and whole', async () => {
      const { stdout } = await config({ POSTGRES_PASSWORD: 'one', AWS_SECRET_ACCESS_KEY: 'two' });
      expect(stdout).toContain('RECORDS_URL: postgres://sightline:one@postgres:5432/sightline');
    });

    test('does not start without passwords', async () => {
      const refused = config({ POSTGRES_PASSWORD: 'one' });
      await expect(refused).rejects.toThrow('Missing mandatory value');
    });
  });
});
