import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../lib/config.ts';
import { pageText, root } from '../docs/pages.ts';
import { describeWith } from '../support/requires.ts';
import { composeServices, composeText, composeVolumes } from './compose.ts';
import { readDockerfile } from './dockerfile.ts';
import type { Step } from './dockerfile.ts';
import { scripts, textAt, wrongSettings } from './installed.ts';

const text = composeText;
const named = composeServices();
const services = Object.entries(named);
const ours = services.filter(([, { image }]) => image === 'sightline');
const steps = readDockerfile('infra/Dockerfile');
const stepOf = <Kind extends Step['kind']>(kind: Kind) =>
  steps.findLast((step) => step.kind === kind) as Extract<Step, { kind: Kind }>;

const isPinned = (image: string) => /:\d*[a-z\d.-]+@sha256:[\da-f]{64}$/.test(image);

describe('infra/Dockerfile', () => {
  const { variables } = stepOf('env');

  test('sets only known settings, and exposes the ports that it sets', () => {
    expect(wrongSettings(variables)).toEqual([]);
    expect(stepOf('expose').ports).toEqual([variables['PORT'], variables['METRICS_PORT']]);
  });

  test('begins with a Debian of one release, and with npm of the Node in the lock file', () => {
    const images = steps.flatMap((step) => (step.kind === 'from' ? [step.image] : []));
    const [major] = process.versions.node.split('.');
    expect(images.map((image) => image.split('@')[0])).toEqual([
      `node:${major}-bookworm-slim`,
      'debian:bookworm-slim',
    ]);
    expect(images.filter((image) => !isPinned(image))).toEqual([]);
  });

  test('has labels with the version of package.json', () => {
    const { version, license } = JSON.parse(textAt('package.json')) as Record<string, string>;
    const { variables: labels } = stepOf('label');
    expect(labels).toMatchObject({
      'org.opencontainers.image.title': 'Sightline',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
      'org.opencontainers.image.base.name': 'docker.io/library/debian:bookworm-slim',
    });
  });

  test('has no health check: most of its commands are not servers', () => {
    expect(textAt('infra/Dockerfile')).not.toMatch(/^HEALTHCHECK/m);
  });

  test('has a folder for each volume that compose mounts, so that its user may write there', () => {
    const folders = /install --directory --owner sightline .* (\/data .*)$/m
      .exec(textAt('infra/Dockerfile'))![1]!
      .split(' ');
    const written = ours.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[1]!));
    expect(new Set(written)).toEqual(new Set(folders.filter((folder) => folder !== '/data')));
  });
});

describe('the command sightline', () => {
  const script = textAt('infra/sightline');
  const [, everywhere] = /^flags=(\S+)$/m.exec(script)!;
  const commands = Object.fromEntries(
    [...script.matchAll(/^ {2}([a-z]+)\) program=(\S+)(?: flags="\$flags (.*)")? ;;$/gm)].map(
      ([, name, program, flags = '']) => [name!, `${everywhere} ${flags} ${program}`.replaceAll(/ +/g, ' ')],
    ),
  );

  test('starts the same programs as npm run, except the quick start', () => {
    const { start, ...rest } = scripts();
    expect(start?.split(' ').at(-1)).toBe('gateway/quickstart.ts');
    expect(commands).toEqual(rest);
  });

  test('lists each in its help', () => {
    const told = [...script.matchAll(/^ {2}([a-z]+) {3,}\S/gm)].map(([, name]) => name!);
    expect(told.toSorted()).toEqual(Object.keys(commands).toSorted());
  });
});

/** A required value of the environment. */
const secret = (name: string) => new RegExp(`^\\$\\{${name}:\\?`);

/** Our services that have a setting. */
const having = (setting: string) =>
  ours
    .filter(([, { environment }]) => environment?.[setting] !== undefined)
    .map(([name]) => name)
    .toSorted();

describe('infra/compose.yaml', () => {
  test('has all services, and builds our image with the Dockerfile', () => {
    expect(Object.keys(named)).toEqual(expect.arrayContaining(['gateway', 'schedule', 'postgres', 's3']));
    for (const [, { build }] of ours)
      expect(build).toEqual({ context: '..', dockerfile: 'infra/Dockerfile' });
  });

  test('names third-party images by version and digest', () => {
    const others = services.filter(([, { image }]) => image !== 'sightline').map(([, { image }]) => image);
    expect(others.length).toBe(2);
    expect(others.filter((image) => !isPinned(image) || !/:\d/.test(image))).toEqual([]);
  });

  test('runs existing commands', async () => {
    const commands = Object.keys(scripts());
    const run = ours.flatMap(([, { entrypoint, command = [] }]) =>
      entrypoint === undefined ? command[0]! : entrypoint.slice(2).find((word) => word !== 'sightline')!,
    );
    expect(run.filter((name) => ![...commands, 'node'].includes(name))).toEqual([]);
    const [, ...args] = named['schedule']!.command!;
    await promisify(execFile)(process.execPath, ['jobs/cli.ts', ...args, '--help'], { cwd: root });
  });

  test('sets only known settings, and the gateway listens on the published ports', () => {
    for (const [, { environment = {} }] of ours) {
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/^\$\{\w+:-\}$/, '').replaceAll(/\$\{.*?\}/g, 'a1'),
      ]);
      expect(wrongSettings(Object.fromEntries(filled) as Record<string, string>)).toEqual([]);
    }
    const { PORT, METRICS_PORT } = readConfig(stepOf('env').variables);
    expect(named['gateway']!.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(named['smoke']!.command!.at(-1)).toContain(`http://gateway:${METRICS_PORT}/readyz?verbose`);
  });

  test('uses the ports, names and passwords of its PostgreSQL and S3 servers', () => {
    const { environment } = named['gateway']!;
    const [s3, postgres] = [named['seaweedfs']!, named['postgres']!];
    expect(environment!['S3_ENDPOINT']).toBe('http://s3:8333');
    expect(s3.command).toEqual(expect.arrayContaining(['-s3.port=8334', '-bucket=sightline']));
    expect(environment!['STORE_URL']).toMatch(/^s3:\/\/sightline\//);
    expect(s3.environment!['AWS_ACCESS_KEY_ID']).toBe(environment!['AWS_ACCESS_KEY_ID']);
    for (const service of [s3, named['gateway']!]) {
      expect(service.environment!['AWS_SECRET_ACCESS_KEY']).toMatch(secret('AWS_SECRET_ACCESS_KEY'));
    }
    const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = postgres.environment!;
    expect(password).toMatch(secret('POSTGRES_PASSWORD'));
    expect(environment!['RECORDS_URL']).toBe(`postgres://${user}:${password}@postgres:5432/${database}`);
  });

  test('starts in order of health: services that others wait for, and servers, have a check', () => {
    const waitedFor = ours.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    for (const [name, { condition }] of waitedFor) {
      expect({ name, condition }).toEqual({ name, condition: 'service_healthy' });
      expect(named[name]!.healthcheck).toBeDefined();
    }
    const checked = services.filter(([, { healthcheck }]) => healthcheck !== undefined).map(([name]) => name);
    expect(checked.toSorted()).toEqual(['gateway', 'postgres', 'seaweedfs']);
    expect(Object.keys(named['gateway']!.depends_on!)).toEqual(['postgres', 'seaweedfs']);
  });

  test('gives our containers no capabilities and no writable root, and stores the data of the others in volumes', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
    const mounted = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(':')[0]!),
    );
    expect(new Set(mounted)).toEqual(new Set(composeVolumes));
  });

  test('jobs spill to a volume, and /tmp, which is memory, is small', () => {
    const jobs = ours.filter(([, { environment }]) => environment?.['LAKE_URL'] !== undefined);
    expect(jobs.map(([name]) => name).toSorted()).toEqual(['audit', 'job', 'schedule']);
    for (const [, { environment, volumes, tmpfs }] of jobs) {
      expect(volumes).toContain(`scratch:${environment!['TMPDIR']}`);
      expect(tmpfs).toEqual(['/tmp:size=64m']);
    }
  });

  test('only jobs get the signing key, and only clients of the records get their password', () => {
    expect(having('SIGNING_KEY')).toEqual(['audit', 'job', 'schedule']);
    expect(having('RECORDS_URL')).toEqual(['gateway', 'records']);
  });

  test('has the services that its first lines and docs/install.md run', () => {
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
      const refused = config({ ...needed, [name]: '' });
      await expect(refused).rejects.toThrow('Missing mandatory value');
    });
  });
});
